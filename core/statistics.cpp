#include "core/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace scalediag::core {

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double m = mean(values);
  // Two passes: run times agree in their leading digits, where the one-pass formula loses all precision.
  double squares = 0;
  for (const double v : values) squares += (v - m) * (v - m);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double coefficient_of_variation(std::span<const double> values) {
  const double m = mean(values);
  return m == 0 ? 0 : standard_deviation(values) / std::abs(m);
}

double error_of_median(size_t n) { return n < 2 ? 1 : std::sqrt(std::numbers::pi / 2 / static_cast<double>(n)); }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace scalediag::core
