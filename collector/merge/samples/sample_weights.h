// The weights of a rank's samples, where they are an estimate of CPU time and not a record of it.
//
// A sample of a CPU stands for one period of that CPU. The number of samples that a thread gets is subject to chance,
// while the thread's clock is exact: the CPU time of the samples is therefore multiplied so that it adds up to the time
// of the clocks between the end of MPI_Init and the start of MPI_Finalize, once for the main thread and once for all
// others together, of which only the sum is known.
#pragma once

#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

class SampleWeights {
 public:
  explicit SampleWeights(const RankRecord& record);

  // The factor from sampled time to CPU time for a thread of this class; 1 where samples record CPU time.
  double of(uint32_t thread_class) const { return thread_class == raw::kMainThread ? main_ : others_; }

 private:
  double main_ = 1;
  double others_ = 1;
};

}  // namespace scalediag::merge
