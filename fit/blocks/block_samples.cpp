#include "fit/blocks/block_samples.h"

#include <cmath>

namespace scalediag::fit {

std::optional<double> relative_mean_error(const std::vector<double>& predicted, const std::vector<double>& actual) {
  double off = 0, sum = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    off += std::abs(predicted[i] - actual[i]);
    sum += actual[i];
  }
  if (off == 0) return 0;
  if (!(sum > 0)) return std::nullopt;
  return off / sum;
}

}  // namespace scalediag::fit
