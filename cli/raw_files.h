// What ranks leave in a run's folder.
#pragma once

#include <string>

namespace scalediag::cli {

// False where the folder cannot be read, too.
bool has_raw_files(const std::string& folder);

}  // namespace scalediag::cli
