#include "fit/numerics/grid_kind.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fit/numerics/normal_quantile.h"

namespace scalediag::fit {
namespace {

// The least similarity of two departures, as a quotient. One odd scale departs by twice as much as its neighbours do;
// kinds of grids depart alike.
constexpr double kAlike = 0.6;

}  // namespace

int grid_kind(double log_x, double first_log_x) {
  constexpr double kRounding = 1e-6;
  const double doublings = (log_x - first_log_x) / std::numbers::ln2;
  const double whole = std::round(doublings);
  if (std::abs(doublings - whole) > kRounding) return 0;
  return std::fmod(whole, 2) == 0 ? 1 : -1;
}

std::optional<double> half_factor_of_kinds(std::span<const double> log_x, std::span<const double> log_y, double noise) {
  const size_t n = log_x.size();
  if (n < 5) return std::nullopt;
  for (size_t i = 0; i + 1 < n; i++)
    if (grid_kind(log_x[i], log_x[0]) * grid_kind(log_x[i + 1], log_x[0]) != -1) return std::nullopt;
  double least = 0, most = 0, sum = 0;
  for (size_t i = 1; i + 1 < n; i++) {
    const double part = (log_x[i] - log_x[i - 1]) / (log_x[i + 1] - log_x[i - 1]);
    const double between = log_y[i - 1] + part * (log_y[i + 1] - log_y[i - 1]);
    const double to_its_side = grid_kind(log_x[i], log_x[0]) * (log_y[i] - between);
    least = i == 1 ? to_its_side : std::min(least, to_its_side);
    most = i == 1 ? to_its_side : std::max(most, to_its_side);
    sum += to_its_side;
  }
  if (least < 0) std::swap(least, most);
  if (least * most <= 0 || std::abs(least) < kAlike * std::abs(most)) return std::nullopt;
  const double apart = sum / static_cast<double>(n - 2);
  if (std::abs(apart) < std::max(kLeastZigzag, kNoiseInDifferences * noise)) return std::nullopt;
  return apart / 2;
}

}  // namespace scalediag::fit
