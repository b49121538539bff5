// The counts of the passes under valgrind, added to the runs of a profile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/counters/callgrind/callgrind_counts.h"
#include "collector/merge/symbols/symbolizer.h"
#include "core/experiment/experiment.h"
#include "core/profile/kernel_id.h"
#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::launch {

class PassCounts {
 public:
  // All arguments outlive this object. With `resolve_inlined`, as in merge, inlined code belongs to the function it was
  // written in.
  PassCounts(const core::ExperimentFolder& folder, merge::SymbolCache& symbols, bool resolve_inlined)
      : folder_(folder), symbols_(symbols), resolve_inlined_(resolve_inlined) {}

  // Reads a pass's files, once. Error (kInput): those of read_callgrind_counts().
  Result<const counters::CallgrindCounts*> of(const core::CountingPass& pass);
  void forget(const core::CountingPass& pass) { known_.erase(core::counting_pass_id(pass.configuration)); }

  // Adds counts to every run of a configuration whose pass is complete, whatever was requested since: existing counts
  // stay. All runs get the source of their counts and the reason for it; a pass with unusable files makes a warning.
  void attach(const core::Experiment& experiment, std::vector<core::Run>& runs);
  // Called when the run's raw files have changed.
  void forget_times(const std::string& run_id) { times_.erase(run_id); }

 private:
  struct KnownTimes {
    core::Clock clock = core::Clock::kCpu;
    std::vector<int> ranks;
    counters::RankTimesOfKernels of_kernels;
  };
  // The times of the ranks that a pass counted, in a timed run; null where they cannot be read.
  const counters::RankTimesOfKernels* times_of(const core::Run& run, const counters::RankChoice& choice);
  std::optional<core::KernelId> name(const std::string& object, std::optional<uint64_t> address);

  const core::ExperimentFolder& folder_;
  merge::SymbolCache& symbols_;
  const bool resolve_inlined_;
  std::map<std::string, counters::CallgrindCounts> known_;  // by the pass's id
  std::map<std::string, KnownTimes> times_;                 // by the run's id
};

// The pass of a configuration, null if there is none.
const core::CountingPass* find_pass(const core::Experiment& experiment, const core::Configuration& configuration);

}  // namespace scalediag::launch
