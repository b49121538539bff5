// The test of whether the counts of some ranks in a kernel may be extended to all ranks: it compares the time that
// these ranks spent in it with that of all ranks.
//
// Each counted rank stands for itself and the ranks that communicate like it. Where code depends on the rank in other
// ways (one rank reads the input, the master distributes work), such ranks are not alike, and counts extended in this
// way do not belong to the time beside them.
#pragma once

#include <map>
#include <vector>

#include "collector/counters/callgrind/counted_ranks.h"
#include "core/profile/kernel_id.h"
#include "core/profile/profile.h"

namespace scalediag::counters {

// The time that one rank spent in one function.
struct RankTime {
  double time_s = 0;
  double samples = 0;
};

// The functions of one run, with one entry for each counted rank.
using RankTimesOfKernels = std::map<core::KernelId, std::vector<RankTime>>;

enum class Extension {
  kByRanks,  // counts x the ranks that each stands for
  kByTime,   // counts x time of all ranks / time of the counted ones
  kNone,     // the counted ranks hardly ran it, others did
};

// The evidence about one kernel, over all repeats of a configuration.
class RankEvidence {
 public:
  // `times` has an entry a rank of `choice`.
  void add(const core::Kernel& kernel, const std::vector<RankTime>& times, const RankChoice& choice);

  // By ranks as long as the extended time equals that of all ranks, within 10 % and within three standard errors of the
  // samples. By time needs 25 samples on the counted ranks, a relative error of 20 %.
  Extension extension() const;
  // Time of all ranks / time of the counted ranks. Precondition: kByTime.
  double by_time() const { return all_s_ / counted_s_; }
  // Time of the counted ranks in the mean of the repeats, one value a rank of the choice.
  std::vector<double> counted_s() const;

 private:
  double all_s_ = 0, all_samples_ = 0;
  double counted_s_ = 0, counted_samples_ = 0;
  double extended_s_ = 0;
  double extended_squares_ = 0;  // sum of time x (ranks it stands for)^2, for the variance of extended_s_
  int repeats_ = 0;
  std::vector<double> by_rank_s_;
};

}  // namespace scalediag::counters
