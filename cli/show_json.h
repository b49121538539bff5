// The report of `scalediag show` for programs, schema scalediag-show/1.
#pragma once

#include <string>

#include "cli/show_input.h"
#include "core/result.h"

namespace scalediag::cli {

// Every run of the profile with all its kernels and operations; see README of this folder for the fields.
core::Result<std::string> show_json(const ShowInput& input);

}  // namespace scalediag::cli
