// Figures of speed-up and efficiency.
#pragma once

#include <vector>

#include "report/document/figure.h"
#include "report/proposal/proposal.h"

namespace scalediag::report {

// "speedup", where times are elapsed ones of strong scaling, and "efficiency"; each only where a row has such a value.
std::vector<Figure> scaling_figures(const Proposal& proposal);

}  // namespace scalediag::report
