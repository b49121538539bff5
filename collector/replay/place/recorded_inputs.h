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
// Folders that links lead to count as folders in the links' places. Errors: a path is not there or is neither a file
// nor a folder, a link leads to a folder around it (kUsage); a folder cannot be read (kInput).
Result<std::vector<std::string>> files_below(const std::vector<std::string>& paths, const std::string& left_out);

// Copies files into the recording, and makes the place of the working directory. Returns their bytes. Errors: a file
// cannot be read (kInput), or its copy cannot be written (kEnvironment).
Result<uint64_t> carry_inputs(const std::string& folder, const std::string& working_directory,
                              const std::vector<std::string>& files);

// A copy of all carried inputs in the folder `to`, which is emptied before. Errors as of carry_inputs().
Status copy_carried_inputs(const std::string& folder, const std::string& to);

}  // namespace scalediag::replay
