// The combination of all hypotheses' values into one value with a spread.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "fit/curves/hypotheses.h"

namespace scalediag::fit {

// The shares by which hypotheses are moved towards the last point, see curve_fit.h.
constexpr std::array kAnchors = {0.0, 0.5, 1.0};

using PerAnchor = std::array<PerHypothesis, kAnchors.size()>;

// The hypotheses in the order of rising value, for each anchor. The order hardly changes from one target to the next,
// so it is kept and corrected by insertion, which is quicker than sorting.
class Orders {
 public:
  Orders();
  // The weighted median of the values.
  double median(size_t anchor, const PerHypothesis& values, const PerHypothesis& weights);

 private:
  std::array<std::array<uint8_t, kHypotheses>, kAnchors.size()> orders_;
};

// Half widths of an interval below and above its center, in logarithms.
struct HalfWidths {
  double below = 0;
  double above = 0;
};

// The answer of all hypotheses together, in logarithms: the mean over anchors of the weighted medians, and the standard
// deviation of the hypotheses around it.
struct Combined {
  double center = 0;
  double spread = 0;

  // Makes another value the center; the spread is then that around it.
  void move_to(double other) {
    spread = std::hypot(spread, other - center);
    center = other;
  }
};

// `fitted`: the logarithms of the hypotheses' values, as fitted. `anchors`: by how much a whole move to the last point
// changes them. `orders` may come from another target: it affects the time this takes, not the result.
Combined combine(const PerHypothesis& fitted, const PerHypothesis& anchors, const PerAnchor& weights, Orders* orders);

// The expected half widths of an interval, before the errors of checked predictions scale them. `change` is the
// prediction relative to the nearest measurement, a logarithm.
HalfWidths expected_half_widths(double typical_error, double doublings, double spread, double change);
// The square root, by which errors grow with the distance.
double root_doublings(double doublings);

// Half widths are at most the logarithm of a factor of 1000.
constexpr double kWidest = 6.9;

// Those of a sum of errors that have nothing to do with one another: they add in squares, on each side; as far as
// kWidest.
HalfWidths together(const HalfWidths& a, const HalfWidths& b);

}  // namespace scalediag::fit
