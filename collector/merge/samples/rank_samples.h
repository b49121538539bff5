// The samples of one rank, summed by the kernel or operation that they belong to.
#pragma once

#include <string>
#include <unordered_map>

#include "collector/merge/operation_table.h"
#include "collector/merge/rank_times.h"
#include "collector/merge/raw/rank_record.h"
#include "collector/merge/samples/kernel_table.h"
#include "collector/merge/samples/sample_attribution.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class RankSamples {
 public:
  explicit RankSamples(core::Clock clock) : clock_(clock) {}

  // `kernels` gives kernels their index; no time is added to it.
  void add(const RankRecord& record, SampleAttributor& attributor, KernelTable& kernels);

  const SampledTime& time() const { return time_; }
  const SamplesByOperation& operations() const { return operations_; }
  const std::unordered_map<size_t, KernelTotals>& kernels() const { return kernels_; }

 private:
  void add_operation(const std::string& name, const SampleKey& key, const SampleTotals& totals, bool intercepted);
  // `all` and `main` are the sums that the time is added to: that of all threads, and that of the main thread.
  static void add_time(const SampleKey& key, const SampleTotals& totals, double& all, double& main);
  void add_function(size_t index, const SampleKey& key, const SampleTotals& totals);
  // `all` and `main` as above.
  void add_kernel(size_t index, const SampleKey& key, const SampleTotals& totals, double& all, double& main);

  const core::Clock clock_;
  SampledTime time_;
  SamplesByOperation operations_;
  std::unordered_map<size_t, KernelTotals> kernels_;
};

}  // namespace scalediag::merge
