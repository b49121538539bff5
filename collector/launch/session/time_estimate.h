// Estimates of the duration of runs, from earlier ones.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"

namespace scalediag::launch {

// Mean elapsed time in seconds of the complete runs of this configuration; else of the configuration with the nearest
// number of processes (as a ratio) and the same parameters; else of all. Negative when there is none.
double expected_duration_s(const std::vector<core::RunEntry>& runs, const core::Configuration& configuration);

}  // namespace scalediag::launch
