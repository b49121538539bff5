// The MPI operations of a profile, each with its series.
#pragma once

#include <vector>

#include "fit/application/application_data.h"
#include "fit/profile/call_costs.h"
#include "fit/profile/run_series.h"
#include "fit/profile/run_terms.h"

namespace scalediag::fit {

std::vector<KernelData> operation_kernels(const RunSeries& runs, const CallCosts& costs, const RunTerms& terms);

}  // namespace scalediag::fit
