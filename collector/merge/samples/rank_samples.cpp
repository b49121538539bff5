#include "collector/merge/samples/rank_samples.h"

#include <algorithm>
#include <vector>

#include "collector/merge/samples/sample_weights.h"
#include "collector/merge/symbols/kernel_of_function.h"

namespace scalediag::merge {
namespace {

constexpr double kSecondsPerNs = 1e-9;

void add_counts(std::vector<double>& counts, const SampleTotals& totals) {
  counts.resize(std::max(counts.size(), totals.counters.size()));
  for (size_t c = 0; c < totals.counters.size(); ++c) counts[c] += static_cast<double>(totals.counters[c]);
}

SampleTotals weighted(SampleTotals totals, double weight) {
  if (weight == 1) return totals;
  const bool all_in_kernel = totals.system_ns == totals.cpu_ns;
  totals.cpu_ns = static_cast<uint64_t>(static_cast<double>(totals.cpu_ns) * weight);
  totals.system_ns =
      all_in_kernel ? totals.cpu_ns : static_cast<uint64_t>(static_cast<double>(totals.system_ns) * weight);
  return totals;
}

}  // namespace

void RankSamples::add(const RankRecord& record, SampleAttributor& attributor, KernelTable& kernels) {
  const SampleWeights weights(record);
  for (const auto& [key, sampled] : record.samples) {
    const SampleTotals totals = weighted(sampled, weights.of(key.thread_class));
    const Attribution to = attributor.attribute(key, totals);
    switch (to.owner) {
      case SampleOwner::kOperation: add_operation(operation_name(record, key.operation), key, totals, true); break;
      case SampleOwner::kMpiOther: add_operation(kMpiOtherName, key, totals, false); break;
      case SampleOwner::kFunction: {
        const Function* caller = says_nothing(*to.function) ? attributor.telling_caller(key) : nullptr;
        add_function(kernels.index_of(caller != nullptr ? *caller : *to.function), key, totals);
        break;
      }
      case SampleOwner::kOpenmpWaiting:
        add_kernel(kernels.index_of_openmp_waiting(), key, totals, time_.openmp_waiting, time_.main_openmp_waiting);
        break;
      case SampleOwner::kKernelMode: add_function(kernels.index_of_system("[kernel mode]"), key, totals); break;
      case SampleOwner::kGpuCall: add_time(key, totals, time_.gpu, time_.main_gpu); break;
      case SampleOwner::kCollector: add_time(key, totals, time_.collector, time_.main_collector); break;
      case SampleOwner::kUnattributed: break;
    }
  }
}

void RankSamples::add_operation(const std::string& name, const SampleKey& key, const SampleTotals& totals,
                                bool intercepted) {
  const double cpu = static_cast<double>(totals.cpu_ns) * kSecondsPerNs;
  OperationSamples& o = operations_[name];
  add_counts(o.counters, totals);
  time_.mpi += cpu;
  const bool on_main = key.thread_class == raw::kMainThread;
  for (SiteSamples* to : {static_cast<SiteSamples*>(&o), &o.sites[intercepted ? raw::site_of(key.operation) : 0]}) {
    to->samples += totals.samples;
    to->cpu_s += cpu;
    if (on_main) to->main_cpu_s += cpu;
  }
  if (!on_main) return;
  (intercepted ? time_.main_operations : time_.main_mpi_other) += cpu;
}

void RankSamples::add_time(const SampleKey& key, const SampleTotals& totals, double& all, double& main) {
  const double cpu = static_cast<double>(totals.cpu_ns) * kSecondsPerNs;
  all += cpu;
  if (key.thread_class == raw::kMainThread) main += cpu;
}

void RankSamples::add_function(size_t index, const SampleKey& key, const SampleTotals& totals) {
  add_kernel(index, key, totals, time_.kernels, time_.main_kernels);
}

void RankSamples::add_kernel(size_t index, const SampleKey& key, const SampleTotals& totals, double& all,
                             double& main) {
  const double cpu = static_cast<double>(totals.cpu_ns) * kSecondsPerNs;
  const bool on_main = key.thread_class == raw::kMainThread;
  KernelTotals& k = kernels_[index];
  k.samples += totals.samples;
  k.cpu_s += cpu;
  k.system_s += static_cast<double>(totals.system_ns) * kSecondsPerNs;
  if (clock_ == core::Clock::kCpu || on_main) k.time_s += cpu;
  add_counts(k.counters, totals);
  all += cpu;
  if (on_main) main += cpu;
}

}  // namespace scalediag::merge
