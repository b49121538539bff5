// Order statistics of weighted values.
#pragma once

#include <span>

namespace scalediag::fit {

struct Weighted {
  double value = 0;
  double weight = 0;
};

// The smallest value below or at which `share` of the weight lies; reorders `items`. Precondition: not empty.
double weighted_quantile(std::span<Weighted> items, double share);

}  // namespace scalediag::fit
