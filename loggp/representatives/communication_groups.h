// Groups of ranks with the same communication sequence (Zhai et al., IEEE TC 65(7), 2016, section 5.4.1): the same
// events in the same order, with partners, tags and sizes by the same equations.
//
// The equations are those of slot_equations.h, so that ranks that wrap around, exchange bits or transpose are alike,
// and so are those with the larger and the smaller blocks of a division that is not even. What no equation gives has to
// be the same. A rank for which the equation says nobody has a null communication, which others do not have: the
// corners, the sides and the inside of an open plane are nine groups.
#pragma once

#include <vector>

#include "core/result.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/phases/scaling_model.h"

namespace scalediag::loggp {

// Every rank once. The ranks of a group rise, and groups come in the order of their lowest ranks.
using RankGroups = std::vector<std::vector<int>>;

// The ranks of the largest number of ranks that the model was made of, by what was recorded of them.
RankGroups communication_groups(const ScalingModel& model);

// The ranks of a run: as above; but where rounds differ, so that traces do not fold and equations take minutes to find,
// tags and sizes have to be the same, event by event, and partners by an equation that all ranks of the group obey.
// Errors: as of model_of_run().
Result<RankGroups> communication_groups(const std::vector<RankTrace>& run);

// The ranks of scaled traces.
RankGroups communication_groups(const ScaledTraces& traces);

}  // namespace scalediag::loggp
