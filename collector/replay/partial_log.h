// Logs of the first iterations of main loops: what is known of the rest, kept beside the log, and a replay's
// computations completed by it.
//
// DIR/runs/np0064.r0/rank000003.loop is a line "scalediag-loop 3 RANK MORE_EVENTS MOST_APART LOOPS COUNT", LOOPS lines
// "BEFORE PER_ITERATION ITERATIONS RECORDED ITERATION_S" and COUNT doubles: BEFORE events come before the loop,
// PER_ITERATION in each of its ITERATIONS, which took ITERATION_S seconds in the mean in the trace. The first RECORDED
// iterations of each loop are in the log; of the later ones of all loops but the last the log has all but large
// contents, and of the last loop nothing, but for MORE_EVENTS events, which are not measured. The doubles are the
// computations before each event after the last loop and after the last event, in seconds, as they were in the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::replay {

struct CutLoop {
  uint64_t before = 0, per_iteration = 0, iterations = 0;
  uint64_t recorded = 0;   // iterations, of the first
  double iteration_s = 0;  // mean, as the trace had it

  uint64_t recorded_end() const { return before + recorded * per_iteration; }
  uint64_t end() const { return before + iterations * per_iteration; }
};

struct PartialLog {
  std::vector<CutLoop> loops;  // ascending, none within another, one at least
  std::vector<double> after_s;
  double most_apart = 0.25;  // distance of successive iterations, relative to the mean one, up to which few are enough
  uint64_t more_events = 0;

  uint64_t events() const { return loops.back().recorded_end(); }
};

Status write_partial_log(const std::string& path, int rank, const PartialLog& log);

// Nothing: there is no such file. Error (kInput): it is damaged, or of another rank.
Result<std::optional<PartialLog>> read_partial_log(const std::string& path, int rank);

struct CompletedComputations {
  std::vector<double> computation_s;  // before each event and after the last one
  double replayed_s = 0;              // of it: replayed
  double repeated_s = 0;              // of it: iterations that repeat replayed ones
  double traced_s = 0;                // of it: after the last loop, from the trace, scaled as replayed iterations are
  // Mean distance of successive replayed iterations of a loop, relative to the mean one, without the first one; of the
  // loop in which it is largest. Nothing: no loop has three of them.
  std::optional<double> apart;
};

// `replayed`: the computation before each event up to the end of the log. Iterations that are not in it are those that
// are in turn, but for the first one, which caches and pages are cold in, where there are others.
CompletedComputations complete(const PartialLog& log, const std::vector<double>& replayed);

}  // namespace scalediag::replay
