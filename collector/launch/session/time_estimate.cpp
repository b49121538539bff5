#include "collector/launch/session/time_estimate.h"

#include <algorithm>
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

double once_s(const std::vector<core::RunEntry>& runs, const std::vector<PlannedConfiguration>& configurations) {
  double sum_s = 0;
  for (const PlannedConfiguration& plan : configurations) {
    sum_s += std::max(0.0, expected_duration_s(runs, plan.configuration));
  }
  return sum_s;
}

double usual_budget_s(const std::vector<core::RunEntry>& runs, const std::vector<PlannedConfiguration>& configurations,
                      int repeats) {
  constexpr double kLeast_s = 30;
  return std::max(kLeast_s, std::max(kUsualTimes, repeats + 1.5) * once_s(runs, configurations));
}

double spent_s(const std::vector<core::RunEntry>& runs, const std::vector<PlannedConfiguration>& configurations) {
  double sum_s = 0;
  for (const core::RunEntry& run : runs) {
    const bool is_planned = std::ranges::any_of(
        configurations, [&run](const PlannedConfiguration& plan) { return plan.configuration == run.configuration; });
    if (is_planned && run.state == core::RunState::kComplete) sum_s += run.elapsed_s;
  }
  return sum_s;
}

}  // namespace scalediag::launch
