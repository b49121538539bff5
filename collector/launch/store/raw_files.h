// The ranks' files in a run's folder.
#pragma once

#include <string>

namespace scalediag::launch {

// False also where the folder cannot be read.
bool has_raw_files(const std::string& folder);

}  // namespace scalediag::launch
