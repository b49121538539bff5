// What the laws say together.
#pragma once

#include <array>
#include <cstdint>

#include "fit/laws.h"

namespace scalediag::fit {

// How far laws are moved towards the last point, see curve_fit.h.
constexpr std::array kAnchors = {0.0, 0.5, 1.0};

using LawWeights = std::array<double, kLaws>;
using Residuals = std::array<double, kLaws>;  // logarithms of quotients, of each law
using AnchoredWeights = std::array<LawWeights, kAnchors.size()>;

// The laws by rising value, for each anchor. From one target to the next the order hardly changes, so that it is kept
// and put right by insertion.
class Orders {
 public:
  Orders();
  double median(size_t anchor, const Residuals& values, const LawWeights& weights);

 private:
  std::array<std::array<uint8_t, kLaws>, kAnchors.size()> orders_;
};

// How far an interval reaches to each side of its center, in logarithms.
struct Reach {
  double below = 0;
  double above = 0;
};

struct Combined {
  double center = 0;
  double spread = 0;
};

// The mean over anchors of the weighted medians, and the standard deviation of all laws around it. `orders` may come
// from another target: it decides how long it takes and nothing else.
Combined combine(const Residuals& fitted, const Residuals& anchors, const AnchoredWeights& weights, Orders* orders);

// How far an interval is expected to reach before the errors of checked predictions scale it. change: the prediction
// relative to the nearest measurement.
Reach expected_reach(double typical_error, double doublings, double spread, double change);
double root_doublings(double doublings);

// Half widths stop here: a factor of 1000.
constexpr double kWidest = 6.9;

}  // namespace scalediag::fit
