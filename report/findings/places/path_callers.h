// A caller's inclusive time holds that of what it calls: predictions of both, each from its own curve, are made to fit.
#pragma once

#include <vector>

#include "report/findings/findings.h"

namespace scalediag::report {

// Kernels whose names are paths of inclusive time, "main->solve". A path that is predicted to take less than what it
// calls takes their sum, and its interval begins no lower than the highest lower end among them.
void lift_callers(std::vector<KernelFinding>& kernels);

}  // namespace scalediag::report
