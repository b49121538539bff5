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

double expected_pass_s(const std::vector<const core::Run*>& measured, int counted_ranks, int cores, double part) {
  if (measured.empty()) return 0;
  double computation_s = 0;
  for (const core::Run* run : measured) computation_s += computation_of(*run);
  computation_s /= static_cast<double>(measured.size());
  const double share = std::max(1.0, static_cast<double>(counted_ranks) / std::max(1, cores));
  return share * (counters::kSimulationStart_s + counters::kCountingSlowdown * part * computation_s);
}

PassPart part_of(const LoopCost& loop, size_t ranks, uint64_t counted) {
  const double part = loop.before + static_cast<double>(counted) * loop.round;
  if (counted + 2 > loop.rounds || part > kNearlyWhole) return {ranks, 0, 1};
  return {ranks, counted, part};
}

PassPart choose_part(const LoopCost& loop, const std::vector<size_t>& ranks, double budget_s,
                     const std::function<double(size_t ranks, double part)>& expected_s) {
  const uint64_t step = kFewestRounds * loop.period;
  const uint64_t wanted = 1 + (std::max(kUsualRounds, loop.rounds_with_all_calls) + step - 1) / step * step;
  for (const size_t n : ranks) {
    const PassPart found = part_of(loop, n, wanted);
    if (found.counted > 0 && expected_s(n, found.part) <= budget_s) return found;
  }
  PassPart found = part_of(loop, ranks.back(), step + 1);
  for (uint64_t more = found.counted + step; found.counted > 0 && more < wanted; more += step) {
    const PassPart longer = part_of(loop, ranks.back(), more);
    if (longer.counted == 0 || expected_s(longer.ranks, longer.part) > budget_s) break;
    found = longer;
  }
  return found;
}

}  // namespace scalediag::launch
