// The share of each kernel in the run, or in all that devices do.
#pragma once

#include "report/findings/findings.h"

namespace scalediag::report {

// Sets KernelFinding::share, and whether the kernel matters beside the run: of call paths, beside the largest of the
// same metric. No part of the run is left longer than that.
void add_shares(TargetFindings& target);

}  // namespace scalediag::report
