// Estimates of the duration of runs, from earlier ones.
#pragma once

#include <vector>

#include "collector/launch/plan/profile_plan.h"
#include "core/experiment/experiment.h"

namespace scalediag::launch {

// Mean elapsed time in seconds of the complete runs of this configuration; else of the configuration with the nearest
// number of processes (as a ratio) and the same parameters; else of all. Negative when there is none.
double expected_duration_s(const std::vector<core::RunEntry>& runs, const core::Configuration& configuration);

// The time in seconds that one run of each of these configurations takes, as far as is known.
double once_s(const std::vector<core::RunEntry>& runs, const std::vector<PlannedConfiguration>& configurations);

// The time in seconds that runs of these configurations, counting and replays may take: this many times that of one run
// of each, or `repeats` and a half more than one if these are more, and at least 30 s.
constexpr double kUsualTimes = 3.5;
double usual_budget_s(const std::vector<core::RunEntry>& runs, const std::vector<PlannedConfiguration>& configurations,
                      int repeats);

// The time in seconds that their complete runs have taken.
double spent_s(const std::vector<core::RunEntry>& runs, const std::vector<PlannedConfiguration>& configurations);

}  // namespace scalediag::launch
