// Inputs of a recorded run that travel with the recording: DIR/inputs has each file below its absolute path, so that
// relative names lead from one to another as they did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::replay {

// The place of `path`, an absolute one, in the recording's folder.
std::string carried_path(const std::string& folder, const std::string& path);

// The files among `paths` and those in the folders among them, absolute and ascending; without what is in `left_out`.
// Errors: a path is not there or is neither a file nor a folder (kUsage), a folder cannot be read (kEnvironment).
Result<std::vector<std::string>> files_below(const std::vector<std::string>& paths, const std::string& left_out);

// Copies files into the recording, and makes the place of the working directory. Returns their bytes. Error
// (kEnvironment): one cannot be read or copied.
Result<uint64_t> carry_inputs(const std::string& folder, const std::string& working_directory,
                              const std::vector<std::string>& files);

// A copy of all carried inputs in the folder `to`, which is emptied before. Error (kEnvironment): it cannot be made.
Status copy_carried_inputs(const std::string& folder, const std::string& to);

}  // namespace scalediag::replay
