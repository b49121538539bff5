#include "collector/launch/session/time_estimate.h"

#include <cmath>
#include <limits>

namespace scalediag::launch {

double expected_duration_s(const std::vector<core::RunEntry>& runs, const core::Configuration& configuration) {
  double best_distance = std::numeric_limits<double>::infinity();
  double sum_s = 0;
  int n = 0;
  for (const core::RunEntry& run : runs) {
    if (run.state != core::RunState::kComplete) continue;
    const bool same_parameters = run.configuration.parameters == configuration.parameters;
    // Runs with other parameters are the least useful, whatever their np.
    const double distance =
        same_parameters
            ? std::abs(std::log2(static_cast<double>(run.configuration.np) / static_cast<double>(configuration.np)))
            : 1e6;
    if (distance < best_distance) {
      best_distance = distance;
      sum_s = 0;
      n = 0;
    }
    if (distance == best_distance) {
      sum_s += run.elapsed_s;
      ++n;
    }
  }
  return n > 0 ? sum_s / n : -1;
}

}  // namespace scalediag::launch
