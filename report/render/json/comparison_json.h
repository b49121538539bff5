// The output of `scalediag diff` for programs.
#pragma once

#include <string>

#include "core/result.h"
#include "report/diff/comparison.h"

namespace scalediag::report {

// Schema scalediag-diff/1: times in seconds, relative changes as fractions, null for unknown values.
core::Result<std::string> comparison_json(const Comparison& comparison);

}  // namespace scalediag::report
