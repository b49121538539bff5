// Where the parts of scalediag lie that run inside the application.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

struct Installation {
  std::string library;  // libscalediag.so
  std::string shim;     // scalediag-rank, in the same folder
};

// Looked for in SCALEDIAG_LIBRARY_DIR if that is set, else beside this program as installed (../lib*/scalediag), else
// in the build tree. Error (kEnvironment): not both are there; names every folder that was looked at.
core::Result<Installation> find_installation();

const char* version();

}  // namespace scalediag::cli
