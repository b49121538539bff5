// Raw files of ranks -> core::Profile. Streams: one rank's file is in memory at a time, and what is kept
// grows with the number of kernels, not of ranks.
#pragma once

#include <optional>
#include <string>

#include "core/experiment.h"
#include "core/profile.h"
#include "core/result.h"

namespace scalediag::merge {

class SymbolCache;  // symbolizer.h: one ELF module is opened once for all runs

struct MergeOptions {
  core::Clock clock = core::Clock::kCpu;
  std::string clock_reason;
  bool resolve_inlined = false;  // charge samples to the innermost inlined function instead of the one that is called
};

// Which clock is right for these runs: CPU time as soon as, in any run, ranks x threads that were busy exceed the
// cores. `asked` is "auto", "cpu" or "wall".
struct ClockChoice {
  core::Clock clock = core::Clock::kCpu;
  std::string reason;  // one sentence for the user
};
ClockChoice choose_clock(const std::string& asked, int cores, int largest_np, int largest_threads);

// Merges runs/<id>/*.raw. A rank that is missing, unfinished or damaged does not fail the merge: the run comes back
// with complete = false and a reason that names the rank and the file, and with what could be read.
// Errors: the folder cannot be read; no rank file in it; a file of a newer version (names both versions).
core::Result<core::Run> merge_run(const core::ExperimentFolder& folder, const core::RunEntry& entry,
                                  const MergeOptions& options, SymbolCache& symbols);

// Merges every run whose state is complete into a profile, with one clock for all of them.
core::Result<core::Profile> merge_experiment(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                                             bool resolve_inlined);

}  // namespace scalediag::merge
