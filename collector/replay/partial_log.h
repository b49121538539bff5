// Logs that end after the first iterations of the main loop: what is known of the rest, kept beside the log, and a
// replay's computations completed by it.
//
// DIR/runs/np0064.r0/rank000003.loop is a line "scalediag-loop 2 RANK EVENTS BEFORE PER_ITERATION ITERATIONS
// ITERATION_S MOST_APART COUNT" and COUNT doubles: the log ends after EVENTS events; BEFORE events come before the
// loop, PER_ITERATION in each of its ITERATIONS, which took ITERATION_S seconds in the mean in the trace; then the
// computations before each event after the loop and after the last one, in seconds, as they were in the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::replay {

struct PartialLog {
  uint64_t before = 0, per_iteration = 0, iterations = 0;
  uint64_t recorded = 0;   // iterations, of the first
  double iteration_s = 0;  // mean, as the trace had it
  std::vector<double> after_s;
  double most_apart = 0.25;  // distance of successive iterations, relative to the mean one, up to which few are enough

  uint64_t events() const { return before + recorded * per_iteration; }
};

Status write_partial_log(const std::string& path, int rank, const PartialLog& log);

// Nothing: there is no such file. Error (kInput): it is damaged, or of another rank.
Result<std::optional<PartialLog>> read_partial_log(const std::string& path, int rank);

struct CompletedComputations {
  std::vector<double> computation_s;  // before each event and after the last one
  double replayed_s = 0;              // of it: replayed
  double repeated_s = 0;              // of it: iterations that repeat replayed ones
  double traced_s = 0;                // of it: after the loop, from the trace, scaled as the replayed iterations are
  double apart = 0;                   // mean distance of successive replayed iterations, relative to the mean one
};

// `replayed`: the computation before each event that the log has. Iterations that are not in the log are those of the
// log in turn, but for the first one, which caches and pages are cold in, where there are others.
CompletedComputations complete(const PartialLog& log, std::vector<double> replayed);

}  // namespace scalediag::replay
