#include "cli/output_file.h"

#include <filesystem>

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

bool is_read_from(const fs::path& path, const fs::path& input) {
  std::error_code error;
  if (fs::equivalent(path, input, error)) return true;
  for (const char* name : {"profile.json", "experiment.json"}) {
    if (fs::equivalent(path, input / name, error)) return true;
  }
  return false;
}

}  // namespace

core::Status check_output_file(const std::string& path, const std::string& input) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return Error{ErrorCode::kUsage, path + " is a folder", "name a file in it: " + path + "/report.html", ""};
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    return Error{ErrorCode::kUsage, "there is no folder " + folder.string() + " for " + path,
                 "mkdir -p " + folder.string(), ""};
  }
  if (is_read_from(path, input)) {
    return Error{ErrorCode::kUsage, path + " is what is read, and would be overwritten", "name another file", ""};
  }
  return core::Done{};
}

}  // namespace scalediag::cli
