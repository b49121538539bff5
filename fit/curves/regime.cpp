#include "fit/curves/regime.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/statistics.h"

namespace scalediag::fit {

using core::median;

std::optional<Break> find_break(std::span<const double> log_x, std::span<const double> log_y) {
  const size_t n = log_x.size();
  if (n < 4) return std::nullopt;
  std::vector<double> slopes;
  for (size_t i = 0; i + 1 < n; i++) slopes.push_back((log_y[i + 1] - log_y[i]) / (log_x[i + 1] - log_x[i]));
  const double usual = median(slopes);
  std::vector<double> departures;
  for (size_t i = 0; i < slopes.size(); i++) departures.push_back((slopes[i] - usual) * (log_x[i + 1] - log_x[i]));
  size_t odd = 0;
  for (size_t i = 1; i < departures.size(); i++)
    if (std::abs(departures[i]) > std::abs(departures[odd])) odd = i;
  std::vector<double> others;
  double later = 0;
  for (size_t i = 0; i < departures.size(); i++) {
    if (i == odd) continue;
    others.push_back(std::abs(departures[i]));
    if (i > odd) later += departures[i];
  }
  const double size = departures[odd];
  const double largest_other = *std::ranges::max_element(others);
  if (std::abs(size) < std::max({kLeastBreak, kBreak * median(others), kBreak / 2 * largest_other}))
    return std::nullopt;
  if (later * size < 0 && std::abs(later) > std::abs(size) / 2) return std::nullopt;
  return Break{odd, size, odd + 2 < n, largest_other};
}

bool falls_superlinearly(std::span<const double> log_x, std::span<const double> log_y, double noise) {
  const size_t n = log_x.size();
  if (n < 3) return false;
  const double excess = (log_y[0] - log_y[n - 1]) - (log_x[n - 1] - log_x[0]);
  const double last_excess = (log_y[n - 2] - log_y[n - 1]) - (log_x[n - 1] - log_x[n - 2]);
  return excess > std::max(kSuperlinear, kNoiseInDifferences * noise) && last_excess > 0;
}

}  // namespace scalediag::fit
