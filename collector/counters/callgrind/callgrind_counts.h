// The counts per kernel from the files of a pass under callgrind, and their transfer into the runs of the same
// configuration.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/counters/callgrind/counted_ranks.h"
#include "collector/counters/callgrind/rank_extension.h"
#include "core/profile/kernel_id.h"
#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::counters {

// Gives the kernel whose code lies at an address of an object's file; empty for code that is not the application's:
// MPI's and our own. `function` is callgrind's name for it. Code of no file has no address.
using NameCode = std::function<std::optional<core::KernelId>(const std::string& object, const std::string& function,
                                                             std::optional<uint64_t> address)>;

// Counts of kernels by metric (core::kCounterMetrics and "l1i_misses") and rank.
using RankCounts = std::map<std::string, double>;

struct CallgrindCounts {
  RankChoice ranks;
  std::map<core::KernelId, std::vector<RankCounts>> kernels;  // one entry a rank of `ranks`
  // Where ranks were counted in part (counted_parts.h): the standard errors of counts that are estimates, in the same
  // order; and the rounds of their loops, summed over these ranks.
  std::map<core::KernelId, std::vector<RankCounts>> spreads = {};
  uint64_t counted_rounds = 0, rounds = 0;  // 0: all ranks were counted whole
};

// Reads rank<number>.*.callgrind* of every rank of the choice; of several files of a rank the one counts that it wrote
// when it came to MPI_Finalize, or exited without (collector/inject/callgrind_counting.h). Of a rank with a file of
// parts, those of its parts count. Error (kInput): a rank has none, a file is damaged, the events are not those of the
// cache simulation.
Result<CallgrindCounts> read_callgrind_counts(const std::string& folder, const RankChoice& ranks,
                                              const NameCode& name_code);

// The derivation of metrics from callgrind's events.
std::vector<core::CounterEvent> simulated_events();

// A configuration's counts and the runs that they go into.
struct CountedConfiguration {
  const CallgrindCounts* counts = nullptr;
  std::vector<core::Run*> runs;
  // The times of the counted ranks in each function, an entry a run; empty where all ranks were counted, or the times
  // are unknown.
  std::vector<const RankTimesOfKernels*> times = {};
};

// Puts counts into `metrics` of kernels, their standard errors into `count_errors`, and sets counters, counter_events
// and counted_ranks. Kernels that were only counted are added with no time and no samples where they hold at least
// kSmallShare of a configuration's instructions or were sampled in another run; the others are summed up as "[functions
// without samples]", so that sums stay whole. Where `times` show that the counted ranks are unlike the others in a
// kernel, its counts are extended by time or left out, and the kernel gets "counted_time_s" (rank_extension.h,
// core/profile/profile.h). A run that has much time in such kernels, or in kernels without counts, gets a warning with
// the reason.
constexpr double kSmallShare = 1e-4;
constexpr const char* kUnsampledFunctions = "[functions without samples]";
void attach_callgrind_counts(const std::vector<CountedConfiguration>& configurations);

}  // namespace scalediag::counters
