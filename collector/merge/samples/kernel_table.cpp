#include "collector/merge/samples/kernel_table.h"

#include <algorithm>

#include "collector/merge/symbols/kernel_of_function.h"
#include "core/profile/metric_names.h"

namespace scalediag::merge {

size_t KernelTable::index_of(const Function& f) {
  const auto [entry, is_new] = known_.try_emplace(&f, 0);
  if (is_new) entry->second = index_of(kernel_of(f), core::KernelKind::kFunction);
  return entry->second;
}

size_t KernelTable::index_of_system(const std::string& name) {
  return index_of({name, "", "", 0}, core::KernelKind::kSystem);
}

size_t KernelTable::index_of_openmp_waiting() {
  return index_of({"[OpenMP waiting]", "", "", 0}, core::KernelKind::kWaiting);
}

size_t KernelTable::index_of_gpu_calls(bool waits, const std::string& function, const std::string& module) {
  const std::string what = waits ? "[GPU wait]" : "[GPU calls]";
  return index_of({function.empty() ? what : what + " " + function, module, "", 0}, core::KernelKind::kGpu);
}

size_t KernelTable::index_of(core::KernelId id, core::KernelKind kind) {
  const auto [entry, is_new] = indices_.try_emplace(std::move(id), rows_.size());
  if (is_new) rows_.emplace_back().kind = kind;
  return entry->second;
}

void KernelTable::add(int rank, size_t index, const KernelTotals& totals) {
  Row& row = rows_[index];
  row.samples += totals.samples;
  row.time_s.add(rank, totals.time_s);
  row.cpu_s.add(rank, totals.cpu_s);
  row.system_s.add(rank, totals.system_s);
  row.gpu_launches.add(rank, totals.gpu_launches);
  row.gpu_bytes.add(rank, totals.gpu_bytes);
  counts_.add(rank, totals.counters, row.counts);
}

std::vector<core::Kernel> KernelTable::finish(int n_ranks) const {
  std::vector<core::Kernel> kernels;
  for (const auto& [id, index] : indices_) {
    const Row& row = rows_[index];
    core::Kernel k;
    k.name = id.name;
    k.module = id.module;
    k.file = id.file;
    k.line = id.line;
    k.kind = row.kind;
    k.samples = row.samples;
    k.metrics[metric::kTime] = row.time_s.finish(n_ranks);
    k.metrics["cpu_s"] = row.cpu_s.finish(n_ranks);
    k.metrics["system_s"] = row.system_s.finish(n_ranks);
    if (k.kind == core::KernelKind::kGpu) {
      k.metrics[metric::kGpuLaunches] = row.gpu_launches.finish(n_ranks);
      k.metrics[metric::kGpuBytes] = row.gpu_bytes.finish(n_ranks);
    }
    if (k.kind == core::KernelKind::kFunction) {
      counts_.finish(row.counts, n_ranks, k.metrics);
      k.count_errors = counts_.standard_errors(row.counts, n_ranks);
    }
    kernels.push_back(std::move(k));
  }
  // The sort is stable: `indices_` is in the order that breaks ties.
  std::ranges::stable_sort(kernels, [](const core::Kernel& a, const core::Kernel& b) {
    return a.metrics.at(metric::kTime).mean > b.metrics.at(metric::kTime).mean;
  });
  return kernels;
}

}  // namespace scalediag::merge
