#include "fit/blocks/block_samples.h"

#include <cmath>
#include <limits>

namespace scalediag::fit {

double relative_mean_error(const std::vector<double>& predicted, const std::vector<double>& actual) {
  double off = 0, sum = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    off += std::abs(predicted[i] - actual[i]);
    sum += actual[i];
  }
  if (off == 0) return 0;
  return sum > 0 ? off / sum : std::numeric_limits<double>::infinity();
}

}  // namespace scalediag::fit
