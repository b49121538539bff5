// Files that a command is asked to write: what is wrong with them is said before anything is computed.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

// Errors (kUsage): `path` is a folder, is in one that is not there, or is what `input` (a file or an experiment folder)
// is read from and would be lost.
core::Status check_output_file(const std::string& path, const std::string& input);

}  // namespace scalediag::cli
