// Computation at a target from ranks that were replayed at other numbers of processes.
//
// What replays took there, relative to the models, is a factor of the models' value: 1 at the largest measured number
// of processes, that of the replays at theirs, along the logarithms between these, and constant beyond the last ones.
// The models' interval, in logarithms, shrinks to the part of the distance from the largest measured scale that
// remains from the nearest replays; that of replays is added in squares.
#pragma once

#include <optional>
#include <vector>

#include "fit/curves/model.h"
#include "predict/anchors.h"

namespace scalediag::predict {

// `replays`: with the factor of each, beyond the largest `measured` number of processes. `curves`: the models' value at
// `processes`. Nothing: there are no such replays, or the target does not lie beyond `measured`.
std::optional<fit::Estimate> computation_of_other_replays(std::vector<Anchor> replays, double measured,
                                                          double processes, const fit::Estimate& curves);

}  // namespace scalediag::predict
