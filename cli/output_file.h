// Files that a command is asked to write: what is wrong with them is said before anything is computed.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

// Errors: `path` is "-", is a folder, a device or a pipe, is in a folder that is not there, or is what `input` (a file
// or an experiment folder, with what its ranks wrote; empty: nothing is read) is read from and would be lost (kUsage);
// its folder cannot be written into (kEnvironment).
core::Status check_output_file(const std::string& path, const std::string& input);

}  // namespace scalediag::cli
