// The standard normal distribution.
#pragma once

#include <numbers>

namespace scalediag::fit {

// The value below which a standard normal variable lies with probability p; 0 < p < 1.
double normal_quantile(double p);

// normal_quantile(0.95): half an interval that holds 90 % of a normal distribution, in standard deviations.
constexpr double kNormal90 = 1.6448536269514722;

// The difference of two values with a normal error lies below this many times that error in 95 of 100 cases.
constexpr double kNoiseInDifferences = kNormal90 * std::numbers::sqrt2;

}  // namespace scalediag::fit
