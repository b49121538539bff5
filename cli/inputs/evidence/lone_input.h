// The ranks of measured scales that were replayed alone: those in ExperimentFolder::replays_of().
#pragma once

#include <string>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "predict/sources/lone_ranks.h"

namespace scalediag::cli {

// Empty where each rank had a core when it was measured, where ranks have several threads, and for several problem
// sizes. Warns of replays that cannot be
// used.
predict::LoneRanks lone_ranks_of(const std::string& folder, const core::Experiment& experiment,
                                 const core::Profile& profile);

}  // namespace scalediag::cli
