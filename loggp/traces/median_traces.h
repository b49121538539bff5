// The computations of several runs of one program, each the median of its repeats.
//
// A run has noise, which simulations of programs that wait for each other amplify; the median of repeats has less.
#pragma once

#include <vector>

#include "loggp/traces/rank_trace.h"

namespace scalediag::loggp {

// Gives each computation in `run` the median over `run` and the `repeats` of it, also the one after the last event. A
// rank that has other events in a repeat, as those that poll do, is left as it is with regard to that repeat. The
// number of traces that have medians of three runs or more, the least number with which a median differs from a mean.
int take_medians(std::vector<RankTrace>& run, const std::vector<std::vector<RankTrace>>& repeats);

}  // namespace scalediag::loggp
