// The clock that tells what work costs: elapsed time where every busy thread has a core, else CPU time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/merge/core_demand.h"
#include "core/experiment/experiment.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

// The clock for these runs: CPU time if, in any run, ranks x busy threads exceed the cores. `asked` is "auto", "cpu" or
// "wall".
struct ClockChoice {
  core::Clock clock = core::Clock::kCpu;
  std::string reason;  // one sentence for the user
};
ClockChoice choose_clock(const std::string& asked, int cores, int largest_np, int largest_threads);

// The use of its cores by one run.
struct CoreUse {
  std::string host;          // of the lowest rank
  uint32_t online_cpus = 0;  // the smallest number of any host, 0 when unknown
  int ranks_on_a_host = 0;   // the largest number
  int busy_threads = 1;      // the largest number at once in a rank
  std::optional<TooFewCpus> too_few_cpus = std::nullopt;
};
// The run that kept its cores busiest decides for all. Runs on the host of the experiment had the cores that it names,
// those on others the CPUs that were online there. Cores on which a rank may not run are of no use to it: ranks that
// are bound to fewer than they keep busy share them, whatever the total number.
ClockChoice choose_clock(const core::Experiment& experiment, const std::vector<CoreUse>& runs);

}  // namespace scalediag::merge
