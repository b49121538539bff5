#include "collector/counters/machine/latency_steps.h"

#include <cmath>
#include <cstddef>

namespace scalediag::counters {

std::vector<double> find_latency_steps(const std::vector<std::pair<double, double>>& curve,
                                       const std::vector<double>& plateaus) {
  constexpr double kSmallestStep = 1.2;
  std::vector<double> steps;
  for (size_t level = 0; level + 1 < plateaus.size(); ++level) {
    double step = 0;
    const double threshold = (plateaus[level] + plateaus[level + 1]) / 2;
    for (size_t i = curve.size(); i-- > 1 && plateaus[level + 1] >= kSmallestStep * plateaus[level];) {
      const auto [bytes_below, latency_below] = curve[i - 1];
      const auto [bytes_above, latency_above] = curve[i];
      if (latency_below >= threshold || latency_above < threshold) continue;
      const double part = std::log(threshold / latency_below) / std::log(latency_above / latency_below);
      step = bytes_below * std::pow(bytes_above / bytes_below, part);
      break;
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace scalediag::counters
