#include "cli/pass_cost.h"

#include <algorithm>

#include "collector/counters/valgrind.h"

namespace scalediag::cli {

double expected_pass_s(const std::vector<const core::Run*>& measured, int simulated_ranks, int cores) {
  if (measured.empty()) return 0;
  double computation_s = 0;
  for (const core::Run* run : measured) computation_s += run->times.computation_s.mean;
  computation_s /= static_cast<double>(measured.size());
  const double share = std::max(1.0, static_cast<double>(simulated_ranks) / std::max(1, cores));
  return share * (counters::kSimulationStart_s + counters::kSimulationSlowdown * computation_s);
}

}  // namespace scalediag::cli
