// Where a curve stops following the law that held before.
#pragma once

#include <optional>
#include <span>

namespace scalediag::fit {

struct Break {
  size_t after = 0;        // index of the last scale of the old regime
  double log_factor = 0;   // log(measured / expected) at the next one
  bool confirmed = false;  // scales beyond it stay in the new regime
};

// Compares the slopes between consecutive scales, in logarithms. A step is a break when it departs from the median
// slope by kBreak times what the other steps depart and by more than kLeastBreak, and is not undone by the steps after
// it. At least four scales are needed: with two steps besides it there is no telling which one is the odd one.
std::optional<Break> find_break(std::span<const double> log_x, std::span<const double> log_y);

// Whether the curve falls faster than work can be divided: the slope over all and over the last step is below
// -kSuperlinear. Cycles per instruction are falling then, as when the data of a rank come to fit into a cache, and may
// go on to fall to about kCacheFactor of what they are.
bool falls_superlinearly(std::span<const double> log_x, std::span<const double> log_y);

constexpr double kBreak = 4;
constexpr double kLeastBreak = 0.25;
constexpr double kSuperlinear = 1.05;
// BT of the NAS benchmarks falls from 0.92 to 0.53 cycles an instruction where it comes to fit (Panadero et al. 2018,
// table 6); hits in the next level cost a third to a half of its misses on current processors.
constexpr double kCacheFactor = 0.5;

}  // namespace scalediag::fit
