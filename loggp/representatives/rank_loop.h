// The main loops of one rank's trace, for recording only their first iterations (Zhai et al., IEEE TC 65(7), 2016,
// section 5.4.2), and how far iterations are apart.
//
// The distance of two iterations is the sum of the differences of their computations (Manhattan). Loops are partly
// recorded where the mean distance of successive iterations is a small share of the mean iteration; the paper's
// equation 2 has the sum of all distances instead, which no long loop passes. The first iteration, in which caches and
// pages are cold, is a class of its own and counts in neither.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loggp/representatives/computation_vector.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// Counts are those of events. The computation in a loop is that before each of its events.
struct RankLoop {
  uint64_t before = 0;         // events before the loop
  uint64_t per_iteration = 0;  // events of an iteration
  uint64_t iterations = 0;
  double iteration_s = 0;  // mean computation of an iteration
  // The mean distance of successive iterations or, where that is more, of the mean of those that are kept from that of
  // all, relative to the mean one. Nothing: the trace has no series, or the loop fewer than three iterations.
  std::optional<double> apart;

  uint64_t end() const { return before + per_iteration * iterations; }
};

struct MainLoops {
  std::vector<RankLoop> loops;   // of more iterations than are kept; ascending, none within another
  ComputationVector after_s;     // before each event after the last of them, and after the last event
  uint64_t most_iterations = 0;  // of a main loop
};

// Main loops are the outermost loop with the most computation, and those with `least_share` of the rank's or more. Of
// one with no more than `kept` iterations those within it are looked at, each time that they are entered. Nothing: the
// trace has no loop.
constexpr double kMainShare = 0.1;
std::optional<MainLoops> main_loops_of(const RankTrace& trace, uint64_t kept, double least_share = kMainShare);

}  // namespace scalediag::loggp
