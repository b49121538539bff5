// The main loop of one rank's trace, for recording only its first iterations (Zhai et al., IEEE TC 65(7), 2016, section
// 5.4.2), and how far its iterations are apart.
//
// The distance of two iterations is the sum of the differences of their computations (Manhattan). Loops are partly
// recorded where the mean distance of successive iterations is a small share of the mean iteration; the paper's
// equation 2 has the sum of all distances instead, which no long loop passes.
#pragma once

#include <cstdint>
#include <optional>

#include "loggp/representatives/computation_vector.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// Counts are those of events. The computation in a loop is that before each of its events.
struct RankLoop {
  uint64_t before = 0;         // events before the loop
  uint64_t per_iteration = 0;  // events of an iteration
  uint64_t iterations = 0;
  double iteration_s = 0;       // mean computation of an iteration
  ComputationVector after_s;    // before each event after the loop, and after the last event
  std::optional<double> apart;  // mean distance of successive iterations, relative to the mean one; nothing: the
                                // trace has no series
};

// The outermost loop of the trace with the most computation. Nothing: there is none.
std::optional<RankLoop> main_loop_of(const RankTrace& trace);

}  // namespace scalediag::loggp
