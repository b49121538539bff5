#include "collector/replay/place/recorded_inputs.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/atomic_file.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;

constexpr char kInputsFolder[] = "/inputs";

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

Status copy_with_time(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  if (failed) return core::write_error(to.parent_path().string(), failed.value());
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
  if (failed) {
    const bool is_readable = access(from.c_str(), R_OK) == 0;
    return is_readable ? core::write_error(to.string(), failed.value())
                       : core::read_error(from.string(), failed.value());
  }
  // Fingerprints of large files have it.
  fs::last_write_time(to, fs::last_write_time(from, failed), failed);
  return Done{};
}

// Adds the files in a folder and in those that links in it lead to. `way`: the folders around it, without links.
Status add_files(const std::string& folder, const std::string& left_out, std::vector<std::string> way,
                 std::vector<std::string>& files) {
  std::error_code failed;
  const std::string target = fs::canonical(folder, failed).string();
  if (failed) return core::read_error(folder, failed.value());
  if (is_below(target, left_out)) return Done{};
  if (std::ranges::find(way, target) != way.end()) {
    return Error{ErrorCode::kUsage, "--with-inputs: " + folder + " is a link to a folder that leads to it",
                 "name the files and folders that the program reads, and not those around the link", folder};
  }
  way.push_back(target);
  fs::recursive_directory_iterator it(folder, failed), end;
  for (; !failed && it != end; it.increment(failed)) {
    const std::string path = it->path().string();
    std::error_code ignored;
    if (is_below(path, left_out)) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file(ignored)) {
      files.push_back(path);
    } else if (it->is_symlink(ignored) && it->is_directory(ignored)) {
      TRY(add_files(path, left_out, way, files));
    }
  }
  if (failed) return core::read_error(folder, failed.value());
  return Done{};
}

// The files of `path`, a file or a folder.
Result<std::vector<std::string>> files_of(const std::string& path, const std::string& left_out) {
  std::error_code failed;
  if (fs::is_regular_file(path, failed)) return std::vector{path};
  if (!fs::is_directory(path, failed)) {
    return Error{ErrorCode::kUsage,
                 "--with-inputs: " + path + (fs::exists(path, failed) ? " is no file" : " is not there"),
                 "name files and folders that the program reads", path};
  }
  std::vector<std::string> files;
  TRY(add_files(path, left_out, {}, files));
  return files;
}

}  // namespace

std::string carried_path(const std::string& folder, const std::string& path) { return folder + kInputsFolder + path; }

Result<std::vector<std::string>> files_below(const std::vector<std::string>& paths, const std::string& left_out) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const std::string& path : paths) {
    const auto found = TRY(files_of(fs::absolute(path, failed).lexically_normal().string(), left_out));
    files.insert(files.end(), found.begin(), found.end());
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

Result<uint64_t> carry_inputs(const std::string& folder, const std::string& working_directory,
                              const std::vector<std::string>& files) {
  uint64_t bytes = 0;
  std::error_code failed;
  fs::create_directories(carried_path(folder, working_directory), failed);
  if (failed) return core::write_error(carried_path(folder, working_directory), failed.value());
  for (const std::string& file : files) {
    TRY(copy_with_time(file, carried_path(folder, file)));
    bytes += fs::file_size(carried_path(folder, file), failed);
  }
  return bytes;
}

Status copy_carried_inputs(const std::string& folder, const std::string& to) {
  std::error_code failed;
  fs::remove_all(to, failed);
  if (failed) return core::write_error(to, failed.value());
  const std::string from = folder + kInputsFolder;
  fs::create_directories(to, failed);
  if (failed) return core::write_error(to, failed.value());
  fs::recursive_directory_iterator it(from, failed), end;
  for (; !failed && it != end; it.increment(failed)) {
    const fs::path copy = to + it->path().string().substr(from.size());
    const bool is_folder = it->is_directory(failed);
    if (failed) return core::read_error(it->path().string(), failed.value());
    if (is_folder) {
      fs::create_directories(copy, failed);
      if (failed) return core::write_error(copy.string(), failed.value());
    } else {
      TRY(copy_with_time(it->path(), copy));
    }
  }
  if (failed) return core::read_error(from, failed.value());
  return Done{};
}

}  // namespace scalediag::replay
