// The end of a log, where launchers say why a run ended.
#pragma once

#include <string>

namespace scalediag::launch {

// The last 64 KiB of the file; empty where it cannot be read.
std::string tail_of_log(const std::string& path);

}  // namespace scalediag::launch
