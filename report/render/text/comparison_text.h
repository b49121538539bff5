// The output of `scalediag diff`, as text and as JSON.
#pragma once

#include <string>

#include "core/result.h"
#include "report/comparison.h"
#include "report/terminal.h"

namespace scalediag::report {

// The changes, then a table for each configuration, then growth and notes.
std::string comparison_text(const Comparison& comparison, const TerminalOptions& options);

// Schema scalediag-diff/1: times in seconds, relative changes as fractions, null for unknown values.
core::Result<std::string> comparison_json(const Comparison& comparison);

}  // namespace scalediag::report
