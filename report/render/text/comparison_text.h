// The output of `scalediag diff` for people.
#pragma once

#include <string>

#include "report/diff/comparison.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

// The changes, then a table for each configuration, then growth and notes.
std::string comparison_text(const Comparison& comparison, const TerminalOptions& options);

}  // namespace scalediag::report
