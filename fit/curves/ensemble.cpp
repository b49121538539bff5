#include "fit/curves/ensemble.h"

#include <algorithm>
#include <cmath>

namespace scalediag::fit {
namespace {

// The least width, a logarithm: repeats of one configuration on another day differ by about this.
constexpr double kLeastWidth = 0.02;
// The share of a predicted fall that is uncertain above the prediction. A falling metric may stop falling, which no
// smaller scale shows: bandwidth is used up, or work is no longer divided. (For 20 programs of strong scaling, values
// from 0.1 to 0.3 give nearly the same interval scores.)
constexpr double kEndOfFall = 0.15;

}  // namespace

Orders::Orders() {
  for (auto& order : orders_)
    for (size_t l = 0; l < kHypotheses; l++) order[l] = static_cast<uint8_t>(l);
}

double Orders::median(size_t anchor, const PerHypothesis& values, const PerHypothesis& weights) {
  std::array<uint8_t, kHypotheses>& order = orders_[anchor];
  for (size_t i = 1; i < kHypotheses; i++) {
    const uint8_t moving = order[i];
    size_t j = i;
    for (; j > 0 && values[order[j - 1]] > values[moving]; j--) order[j] = order[j - 1];
    order[j] = moving;
  }
  double total = 0;
  for (const double w : weights) total += w;
  double below = 0;
  for (const uint8_t l : order) {
    below += weights[l];
    if (below >= 0.5 * total) return values[l];
  }
  return values[order.back()];
}

Combined combine(const PerHypothesis& fitted, const PerHypothesis& anchors, const PerAnchor& weights, Orders* orders) {
  constexpr double kOutlier = 2;  // spreads count disagreements up to a factor of e^2
  PerAnchor values;
  double center = 0;
  for (size_t a = 0; a < kAnchors.size(); a++) {
    for (size_t l = 0; l < kHypotheses; l++) values[a][l] = fitted[l] + kAnchors[a] * anchors[l];
    center += orders->median(a, values[a], weights[a]) / kAnchors.size();
  }
  double squares = 0;
  for (size_t a = 0; a < kAnchors.size(); a++) {
    double weight = 0, sum = 0;
    for (size_t l = 0; l < kHypotheses; l++) {
      const double d = std::min(std::abs(values[a][l] - center), kOutlier);
      weight += weights[a][l];
      sum += weights[a][l] * d * d;
    }
    squares += sum / weight / kAnchors.size();
  }
  return {center, std::sqrt(squares)};
}

HalfWidths together(const HalfWidths& a, const HalfWidths& b) {
  return {std::min(std::hypot(a.below, b.below), kWidest), std::min(std::hypot(a.above, b.above), kWidest)};
}

double root_doublings(double doublings) {
  // Between or at measured scales the error is still that of a quarter doubling.
  return std::sqrt(std::max(doublings, 0.25));
}

HalfWidths expected_half_widths(double typical_error, double doublings, double spread, double change) {
  const double own = typical_error * root_doublings(doublings);
  const double both = spread * spread + own * own + kLeastWidth * kLeastWidth;
  const double end = kEndOfFall * std::max(0.0, -change);
  return {std::sqrt(both), std::sqrt(both + end * end)};
}

}  // namespace scalediag::fit
