// The folder where a replayed program runs: another one is laid over it, which takes what the program writes.
#pragma once

#include <filesystem>
#include <string>

#include "collector/replay/opened_recording.h"
#include "core/scratch_folder.h"

namespace scalediag::replay {

// Goes back to the present working directory at its end.
class KeptWorkingDirectory {
 public:
  KeptWorkingDirectory();
  ~KeptWorkingDirectory();
  KeptWorkingDirectory(const KeptWorkingDirectory&) = delete;
  KeptWorkingDirectory& operator=(const KeptWorkingDirectory&) = delete;

 private:
  std::filesystem::path path_;
};

// A folder for what a replayed program writes; not below the working directory, which it is laid over.
core::ScratchFolder scratch_beside(const std::filesystem::path& working_directory);

// Whether the shim can lay a folder over the working directory here: the reason why not, empty if it can.
std::string cannot_cover(const OpenedRecording& recorded, const core::ScratchFolder& scratch);

}  // namespace scalediag::replay
