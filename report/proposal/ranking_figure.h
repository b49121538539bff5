// A figure of the places of functions and MPI operations, from the smallest measured number of processes to the largest
// target.
#pragma once

#include <string>

#include "core/result.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// As SVG. What does not scale is drawn in colour, what is predicted dashed and hollow. `findings` are detailed ones.
// Error (kInput): there are no ranks at the largest target, since two scales do not give any.
core::Result<std::string> ranking_svg(const Findings& findings);

}  // namespace scalediag::report
