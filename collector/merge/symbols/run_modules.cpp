#include "collector/merge/symbols/run_modules.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <string_view>

#include "collector/merge/symbols/debug_files.h"
#include "collector/merge/symbols/mpi_modules.h"
#include "core/raw/raw_format.h"

namespace scalediag::merge {
namespace {

bool is_system_library(const std::string& path) {
  constexpr std::string_view kFolders[] = {"/lib/",     "/lib32/",     "/lib64/",     "/libx32/",
                                           "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/"};
  return !path.starts_with('/') || std::any_of(std::begin(kFolders), std::end(kFolders),
                                               [&path](std::string_view f) { return path.starts_with(f); });
}

bool is_file_stamp(const std::string& build) { return build.starts_with(raw::kFileStamp); }

// "build id 1a2b3c4d", "1024 bytes of 2026-01-31 10:00:00 UTC"
std::string text_of(const std::string& build) {
  constexpr size_t kShown = 16;
  if (!is_file_stamp(build)) return "build id " + build.substr(0, kShown);
  const size_t begin = raw::kFileStamp.size();
  const size_t dash = std::min(build.find('-', begin), build.size());
  const std::time_t seconds =
      std::strtoll(build.c_str() + std::min(dash + 1, build.size()), nullptr, 10) / 1'000'000'000;
  std::tm utc{};
  char when[32] = "";
  if (gmtime_r(&seconds, &utc) != nullptr) std::strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &utc);
  return build.substr(begin, dash - begin) + " bytes of " + when + " UTC";
}

// "build id 1a2b, there 3c4d"
std::string both(const std::string& build, const std::string& there) {
  return "(" + text_of(build) + ", there " + text_of(there) + ")";
}

// The difference; empty if both have a build in common, or no path with two builds.
std::string difference(const std::string& name, const Builds& builds, const Builds& before, const std::string& id) {
  const auto& now = builds.at(name);
  const auto there = before.find(name);
  if (there == before.end()) return "";
  const auto told = [&](const auto& a, const auto& b) {
    const std::string where = a.first == b.first ? a.first : a.first + " where that ran " + b.first;
    return "it ran another build of " + where + " than " + id + " " + both(a.second, b.second);
  };
  bool common = false;
  for (const auto& a : now) {
    for (const auto& b : there->second) {
      common = common || a.second == b.second;
      if (a.first == b.first && a.second != b.second) return told(a, b);
    }
  }
  return common ? "" : told(*now.begin(), *there->second.begin());
}

std::string difference(const Builds& builds, const Builds& before, const std::string& id) {
  for (const auto& [name, files] : builds) {
    if (std::string found = difference(name, builds, before, id); !found.empty()) return found;
  }
  return "";
}

const std::string& first_path(const Builds& builds) { return builds.begin()->second.begin()->first; }

bool have_common_name(const Builds& a, const Builds& b) {
  return std::ranges::any_of(a, [&b](const auto& each) { return b.count(each.first) != 0; });
}

// The build as it would be recorded now, in the way in which `recorded` was; empty if it cannot be read.
std::string build_on_disk(const std::string& path, const std::string& recorded) {
  // The open does not wait for a pipe of that name.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  struct stat status {};
  std::string build;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    build = is_file_stamp(recorded) ? raw::file_stamp(status) : build_id_of_file(fd);
  }
  ::close(fd);
  return build;
}

}  // namespace

void RunModules::add(const RankRecord& record) {
  if (!record.identity) return;
  for (const auto& [epoch, modules] : record.modules) {
    for (const ModuleSpan& m : modules) {
      const std::string& build = m.build_id.empty() ? m.file_stamp : m.build_id;
      const std::string path = without_deleted_mark(m.path);
      if (build.empty() || path.empty()) continue;
      const bool is_program = m.path == record.identity->executable;
      if (!is_program && (is_system_library(path) || is_collector_module(path))) continue;
      (is_program ? programs : libraries)[std::string(file_name(path))].insert({path, build});
    }
  }
}

ModuleComparison compare_modules(const RunModules& modules, const RunModules& before, const std::string& id_of_before,
                                 bool same_configuration) {
  ModuleComparison comparison;
  comparison.refused = difference(modules.programs, before.programs, id_of_before);
  if (comparison.refused.empty()) comparison.refused = difference(modules.libraries, before.libraries, id_of_before);
  if (!comparison.refused.empty() || modules.programs.empty() || before.programs.empty()) return comparison;
  if (have_common_name(modules.programs, before.programs)) return comparison;
  const std::string text =
      "ran " + first_path(modules.programs) + " where " + id_of_before + " ran " + first_path(before.programs);
  if (same_configuration) {
    comparison.refused = "it " + text;
  } else {
    comparison.told = "this run " + text + ": they are taken for one program";
  }
  return comparison;
}

std::string common_program(const std::vector<const RunModules*>& runs) {
  if (runs.empty()) return "";
  for (const RunModules* run : runs) {
    if (run->programs.size() != 1 || run->programs.begin()->first != runs.front()->programs.begin()->first) return "";
  }
  return first_path(runs.front()->programs);
}

std::string rebuilt_file(const RunModules& modules) {
  for (const Builds* builds : {&modules.programs, &modules.libraries}) {
    for (const auto& [name, files] : *builds) {
      for (const auto& [path, build] : files) {
        const std::string now = build_on_disk(path, build);
        if (!now.empty() && now != build) return path;
      }
    }
  }
  return "";
}

}  // namespace scalediag::merge
