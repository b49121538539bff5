// Series from formulas, for tests.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fit/data/observations.h"

namespace scalediag::fit {

// One value at each scale, exactly as the formula says.
inline Series series_of(const std::vector<double>& scales, const std::function<double(double)>& hypothesis,
                        const std::string& kernel = "kernel") {
  Series s{{"p"}, "time_s", kernel, {}};
  for (const double p : scales) s.observations.push_back({{p}, {hypothesis(p)}});
  return s;
}

inline std::vector<double> doublings(double first, int count) {
  std::vector<double> scales;
  for (int i = 0; i < count; i++) scales.push_back(first * std::pow(2.0, i));
  return scales;
}

}  // namespace scalediag::fit
