// The point at which a curve stops following its former trend.
#pragma once

#include <optional>
#include <span>

#include "fit/numerics/normal_quantile.h"

namespace scalediag::fit {

struct Break {
  size_t after = 0;          // index of the last scale of the old regime
  double log_factor = 0;     // log(measured / expected) at the next one
  bool confirmed = false;    // scales beyond it stay in the new regime
  double largest_other = 0;  // the largest departure of any other step from the median slope
};

// Compares the slopes between consecutive scales, in logarithms. A step is a break when it departs from the median
// slope by more than kLeastBreak, by kBreak times what the other steps usually depart and half that times what any of
// them does, and is not undone by the steps after it. At least four scales are needed: with only two other steps the
// odd one cannot be told. A bend of a smooth curve can look the same: fit/curves/curve_fitter.cpp compares with the
// hypotheses.
std::optional<Break> find_break(std::span<const double> log_x, std::span<const double> log_y);

// Whether the curve falls faster than work can be divided: over all scales by more than kSuperlinear and more than the
// noise of a repeat (relative) explains, and also over the last step. Cycles per instruction are falling then, as when
// the data of a rank come to fit into a cache, and may go on to fall to about kCacheFactor of their present value.
bool falls_superlinearly(std::span<const double> log_x, std::span<const double> log_y, double noise = 0);

constexpr double kBreak = 4;
constexpr double kLeastBreak = 0.25;
// A logarithm: hypotheses usually miss the truth by this much.
constexpr double kSuperlinear = 0.03;
// A hit in the next level of a cache costs a third to a half of a miss there on current processors.
constexpr double kCacheFactor = 1.0 / 3;

}  // namespace scalediag::fit
