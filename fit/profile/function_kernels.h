// The functions of a profile, each with its series, and those that the sampler hardly saw as one.
#pragma once

#include <string>
#include <vector>

#include "fit/application/application_data.h"
#include "fit/profile/run_series.h"

namespace scalediag::fit {

// `notes` is told where runs were counted in ways that cannot be mixed.
std::vector<KernelData> function_kernels(const RunSeries& runs, std::vector<std::string>& notes);

}  // namespace scalediag::fit
