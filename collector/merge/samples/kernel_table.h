// Kernels over ranks. A kernel is the same on two ranks when its name, module, file and line are. Functions have those
// that kernel_of_function.h says.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/merge/run_counts.h"
#include "collector/merge/symbols/symbolizer.h"
#include "core/profile/kernel_id.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

// The totals of one rank in one kernel.
struct KernelTotals {
  uint64_t samples = 0;
  double time_s = 0;
  double cpu_s = 0;
  double system_s = 0;
  double gpu_launches = 0, gpu_bytes = 0;  // of kernels of kind gpu
  std::vector<double> counters;            // as the process recorded them
};

class KernelTable {
 public:
  // `counts` has to outlive the table.
  explicit KernelTable(const RunCounts& counts) : counts_(counts) {}

  size_t index_of(const Function& function);
  size_t index_of_system(const std::string& name);
  size_t index_of_openmp_waiting();
  // Calls of a GPU's library that this function of that module made.
  size_t index_of_gpu_calls(bool waits, const std::string& function, const std::string& module);
  void add(int rank, size_t index, const KernelTotals& totals);
  // The kernels by falling mean time, ties by name, module, file and line.
  std::vector<core::Kernel> finish(int n_ranks) const;

 private:
  struct Row {
    core::KernelKind kind = core::KernelKind::kFunction;
    uint64_t samples = 0;
    core::OverRanksBuilder time_s, cpu_s, system_s, gpu_launches, gpu_bytes;
    CountRow counts;
  };
  size_t index_of(core::KernelId id, core::KernelKind kind);

  const RunCounts& counts_;
  std::map<core::KernelId, size_t> indices_;
  std::unordered_map<const Function*, size_t> known_;
  std::vector<Row> rows_;
};

}  // namespace scalediag::merge
