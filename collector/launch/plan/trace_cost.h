// The cost of recording traces, by what was measured without and with them. They are recorded unasked where they cost
// little.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::launch {

// An event costs 186 to 214 ns of the rank that makes it, a test that finds nothing 61 to 80 ns (docs/accuracy.md).
constexpr double kEvent_s = 200e-9, kTest_s = 70e-9;
// Limits for traces that were not asked for: shares of the ranks' time, and the bytes of an experiment's trace files.
// Above the first share one repeat of a configuration is recorded, up to the second: SNAP's pipeline, which takes a
// third of its run, is in no clock of ranks that share cores, and its trace costs 5 %.
constexpr double kMostTraceShare = 0.01, kMostShareOfOne = 0.06;
constexpr double kMostTraceBytes = 50e6;

// MPI calls of all ranks.
double calls_of(const core::Run& run);

// The share of the ranks' time that recording each call of the run would take, or took.
double trace_share(const core::Run& run);

// The bytes of trace files in a run's folder.
double trace_bytes(const std::string& run_folder);

// Removes them.
void remove_traces(const std::string& run_folder);

// The traces that an experiment has already.
struct RecordedTraces {
  double calls = 0;  // of all ranks and runs
  double bytes = 0;
  bool are_of_configuration = false;  // one of them is of the configuration that is asked for
};

// The reason why a run of `np` processes and these parameters is not recorded unasked, one clause; empty: it is
// recorded. Its cost is that of a complete run of the same configuration. Without one it is that of the run with the
// nearest smaller number of processes, whose calls take the larger share on more ranks: computation is shared, and the
// calls of a rank are not. Where that is not known either, `is_only_repeat` says whether the run is recorded: otherwise
// a later repeat is, once the cost is known.
std::string why_not_traced(const std::vector<core::Run>& runs, int np, const std::map<std::string, double>& parameters,
                           const RecordedTraces& recorded, bool is_only_repeat);

}  // namespace scalediag::launch
