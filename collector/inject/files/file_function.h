// The functions of the C library on files that are counted.
#pragma once

#include "core/raw/file_functions.h"

namespace scalediag::inject::files {

using Function = raw::FileFunction;

}  // namespace scalediag::inject::files
