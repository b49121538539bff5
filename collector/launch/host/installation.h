// The paths of the parts of scalediag that run inside the application.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::launch {

struct Installation {
  std::string library;  // libscalediag.so
  std::string shim;     // scalediag-rank, in the same folder
};

// Looks in SCALEDIAG_LIBRARY_DIR if that is set, else beside this program as installed (../lib*/scalediag), else in the
// build tree. Error (kEnvironment): one of the two is missing (it names every folder that was looked at), or the
// folder has a character that LD_PRELOAD cannot hold.
Result<Installation> find_installation();

const char* version();

}  // namespace scalediag::launch
