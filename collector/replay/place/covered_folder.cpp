#include "collector/replay/place/covered_folder.h"

#include "collector/launch/process/command_output.h"

namespace scalediag::replay {

namespace fs = std::filesystem;

KeptWorkingDirectory::KeptWorkingDirectory() {
  std::error_code ignored;
  path_ = fs::current_path(ignored);
}

KeptWorkingDirectory::~KeptWorkingDirectory() {
  std::error_code ignored;
  fs::current_path(path_, ignored);
}

core::ScratchFolder scratch_beside(const fs::path& working_directory) {
  std::error_code failed;
  for (const fs::path& parent : {fs::temp_directory_path(failed), fs::path("/dev/shm")}) {
    const std::string below = working_directory.string() + "/";
    if (parent.empty() || (parent.string() + "/").starts_with(below)) continue;
    core::ScratchFolder scratch("replay", parent);
    if (!scratch.path().empty()) return scratch;
  }
  return {};
}

std::string cannot_cover(const OpenedRecording& recorded, const core::ScratchFolder& scratch) {
  if (scratch.path().empty()) return "there is no folder outside of the working directory to write into";
  const auto tried = launch::run_and_capture({recorded.preparation.installation.shim, "--library", recorded.library,
                                              "--cover", scratch.path(), "--keep", recorded.results, "--", "true"});
  if (!tried) return tried.error().message;
  if (tried.value().exit_status == 0) return "";
  std::string said = tried.value().text;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

}  // namespace scalediag::replay
