#include "cli/output_file.h"

#include <unistd.h>

#include <filesystem>

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

bool is_read_from(const fs::path& path, const fs::path& input) {
  if (input.empty()) return false;
  std::error_code error;
  if (fs::equivalent(path, input, error)) return true;
  for (const char* name : {"profile.json", "experiment.json"}) {
    if (fs::equivalent(path, input / name, error)) return true;
  }
  // What ranks wrote: in a run's folder, which may be the input itself.
  const fs::path inside = fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(input, error));
  const bool of_a_rank = inside.extension() == ".raw" || inside.extension() == ".trace";
  return of_a_rank && !inside.empty() && *inside.begin() != ".." && fs::exists(path, error);
}

}  // namespace

core::Status check_output_file(const std::string& path, const std::string& input) {
  std::error_code error;
  if (path == "-") {
    return Error{ErrorCode::kUsage, "standard output is no file for this", "name a file; ./- is one called -", ""};
  }
  if (fs::is_directory(path, error)) {
    return Error{ErrorCode::kUsage, path + " is a folder", "name a file in it", ""};
  }
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return Error{ErrorCode::kUsage, path + " is a device or a pipe, and would be replaced by a file", "name a file",
                 ""};
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    return Error{ErrorCode::kUsage, "there is no folder " + folder.string() + " for " + path,
                 "mkdir -p " + folder.string(), ""};
  }
  // What is written is a new file that takes the place of the old one, or of what a link leads to: the folder allows
  // it.
  const fs::path written_into = fs::weakly_canonical(fs::absolute(path), error).parent_path();
  if (access(written_into.c_str(), W_OK | X_OK) != 0) {
    return Error{ErrorCode::kEnvironment, "cannot write into the folder " + written_into.string(),
                 "name a file in another folder", ""};
  }
  if (is_read_from(path, input)) {
    return Error{ErrorCode::kUsage, path + " is what is read, and would be overwritten", "name another file", ""};
  }
  return core::Done{};
}

}  // namespace scalediag::cli
