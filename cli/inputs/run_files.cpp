#include "cli/inputs/run_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/atomic_file.h"
#include "fit/data/measurement_file.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

constexpr int kMostLevels = 5;
constexpr size_t kMostFiles = 10000;

// Only the head is read, since a folder may hold large files of any kind.
bool may_be_run(const fs::path& path) {
  std::array<char, 4096> head;
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  return fit::may_begin_run(std::string_view(head.data(), static_cast<size_t>(file.gcount())));
}

// Profiles that Scalasca puts beside one another, the one to take first.
constexpr const char* kOfOneRun[] = {"profile.cubex", "summary.cubex", "scout.cubex", "trace.cubex"};

void keep_one_of_a_run(std::vector<std::string>& files) {
  std::map<fs::path, size_t> best;  // by folder: the place in kOfOneRun
  const auto place = [](const fs::path& file) {
    return static_cast<size_t>(std::find(std::begin(kOfOneRun), std::end(kOfOneRun), file.filename()) -
                               std::begin(kOfOneRun));
  };
  for (const fs::path file : files) {
    size_t& least = best.try_emplace(file.parent_path(), std::size(kOfOneRun)).first->second;
    least = std::min(least, place(file));
  }
  std::erase_if(files, [&](const std::string& name) {
    const fs::path file(name);
    const size_t here = place(file);
    return here != std::size(kOfOneRun) && here != best.at(file.parent_path());
  });
}

}  // namespace

core::Result<std::vector<std::string>> run_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry.depth() >= kMostLevels) entry.disable_recursion_pending();
    std::error_code ignored;
    const bool is_hidden = entry->path().filename().string().starts_with(".");
    if (is_hidden || !entry->is_regular_file(ignored) || !may_be_run(entry->path())) continue;
    // A file of one run that is damaged is named when it is read.
    const core::Result<std::string> text = core::read_file(entry->path().string());
    if (!text || fit::format_of(fit::kind_of(text.value())).read_run == nullptr) continue;
    files.push_back(entry->path().string());
    if (files.size() > kMostFiles) {
      return Error{ErrorCode::kInput, folder + " has more than " + std::to_string(kMostFiles) + " profiles",
                   "name the files of one experiment", folder};
    }
  }
  if (error) return core::read_error(folder, error.value());
  std::sort(files.begin(), files.end());
  keep_one_of_a_run(files);
  return files;
}

core::Result<std::vector<fit::MeasuredRun>> read_runs(const std::vector<std::string>& files) {
  std::vector<fit::MeasuredRun> runs;
  for (const std::string& file : files) {
    const core::Result<std::string> text = core::read_file(file);
    if (!text) return text.error();
    const fit::MeasurementFormat& format = fit::format_of(fit::kind_of(text.value()));
    if (format.read_run == nullptr) {
      return Error{ErrorCode::kInput,
                   file +
                       " is no profile of a single run, as several files of one experiment have to be: it is read as " +
                       format.name,
                   "give it alone", file};
    }
    core::Result<fit::MeasuredRun> run = fit::read_run(format, text.value(), file);
    if (!run) return run.error();
    runs.push_back(std::move(run).value());
  }
  return runs;
}

CLI::Option* add_inputs(CLI::App& command, std::string& first, std::vector<std::string>& more) {
  return command
      .add_option_function<std::vector<std::string>>(
          "INPUT",
          [&first, &more](const std::vector<std::string>& named) {
            first = named.front();
            more.assign(named.begin() + 1, named.end());
          },
          "Experiment folder, profile.json, file in one of Extra-P's formats, table of timings (CSV, Markdown, LaTeX), "
          "or "
          "profiles of other tools: files of one experiment or their folder")
      ->required();
}

}  // namespace scalediag::cli
