// Measured values as points to which hypotheses are fitted.
#pragma once

#include <string>
#include <vector>

#include "fit/data/observations.h"

namespace scalediag::fit {

// One configuration, its repeats put together.
struct Point {
  std::vector<double> at;
  double value = 0;   // the median of the repeats: one bad repeat in three does not move it far; 0 only where all are 0
  double weight = 1;  // precision of `value` relative to a point without noise: 1 / (1 + variance / kMisfit^2)
  int repeats = 1;
};

// Hypotheses miss the truth by about this much (relative), so that repeats beyond this precision do not count for more.
constexpr double kMisfit = 0.03;

struct Prepared {
  std::vector<Point> points;  // distinct configurations, in lexicographic order of `at`
  int values = 0;             // repeats used, over all points
  double noise = 0;           // relative standard deviation of one repeat, median over points with several; 0 without
  bool all_zero = false;
  std::vector<std::string> notes;  // values that were left out or changed, with the reason
};

// Leaves out values that are not finite or negative, and configurations whose parameters are not finite and positive.
// Zeros before the first positive value (configurations none of whose parameters is above those of a positive one) are
// left out where each parameter keeps three values: what only several processes do is 0 at one process, and no trend
// leads there. Other zeros among positive values stand for "below what the clock resolves": they become half the
// smallest positive value.
Prepared prepare(const Series& series);

}  // namespace scalediag::fit
