// The kernels of a report.json, which are nearly all of it.
#pragma once

#include <string>

#include "core/result.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// A JSON array of the main target's kernels, in its order; `readable`: one a line, indented by two, else all on one
// line. Error: a number is not finite.
core::Result<std::string> kernels_json(const Findings& findings, bool readable);

}  // namespace scalediag::report
