#include "collector/launch/plan/pass_cost.h"

#include <algorithm>

#include "collector/counters/callgrind/valgrind.h"

namespace scalediag::launch {

namespace {

// The CPU time to be slowed down, in seconds. Elapsed time would include that of other programs on the same cores, and
// sleep, which valgrind does not lengthen. Where no function was sampled, the process's time outside MPI is at most CPU
// time, too.
double computation_of(const core::Run& run) {
  double functions_s = 0, mpi_s = 0;
  for (const core::Kernel& kernel : run.kernels) {
    const auto time = kernel.metrics.find("cpu_s");
    if (kernel.kind == core::KernelKind::kFunction && time != kernel.metrics.end()) functions_s += time->second.mean;
  }
  if (functions_s > 0) return functions_s;
  for (const core::MpiOperation& operation : run.operations) mpi_s += operation.cpu_s.mean;
  return std::clamp(run.times.cpu_s.mean - mpi_s, 0.0, run.times.computation_s.mean);
}

}  // namespace

double expected_pass_s(const std::vector<const core::Run*>& measured, int counted_ranks, int cores) {
  if (measured.empty()) return 0;
  double computation_s = 0;
  for (const core::Run* run : measured) computation_s += computation_of(*run);
  computation_s /= static_cast<double>(measured.size());
  const double share = std::max(1.0, static_cast<double>(counted_ranks) / std::max(1, cores));
  return share * (counters::kSimulationStart_s + counters::kCountingSlowdown * computation_s);
}

}  // namespace scalediag::launch
