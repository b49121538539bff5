// The computations of several runs of one program, each the median of its repeats.
//
// A run has noise, which simulations of programs that wait for each other amplify; the median of repeats has less.
#pragma once

#include <vector>

#include "loggp/traces/rank_trace.h"

namespace scalediag::loggp {

// Gives each computation in `run` the median over `run` and the `repeats` of it, also the one after the last event. A
// repeat in which a rank has other events, as ranks that poll do, is left out for that rank. Returns the number of
// ranks that have such a repeat.
int take_medians(std::vector<RankTrace>& run, const std::vector<std::vector<RankTrace>>& repeats);

// Multiplies each computation by `factor`.
void stretch_computations(RankTrace& trace, double factor);
void stretch_computations(std::vector<RankTrace>& run, double factor);

}  // namespace scalediag::loggp
