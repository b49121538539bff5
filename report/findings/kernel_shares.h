// The share of each kernel in the run, or in all that devices do.
#pragma once

#include "report/findings/findings.h"

namespace scalediag::report {

// Sets KernelFinding::share, and whether the kernel matters beside the run: of call paths, beside the largest of the
// same metric. The mean rank's time in a part of the run is bounded by the run's.
void add_shares(TargetFindings& target);

}  // namespace scalediag::report
