#include "fit/application/interval_sum.h"

#include <algorithm>
#include <cmath>

namespace scalediag::fit {

Estimate sum_of(std::span<const Estimate> parts, double level) {
  double value = 0, down = 0, down2 = 0, up = 0, up2 = 0;
  for (const Estimate& part : parts) {
    const double below = part.value - part.low;
    const double above = part.high - part.value;
    value += part.value;
    down += below;
    down2 += below * below;
    up += above;
    up2 += above * above;
  }
  const auto half_common = [](double sum, double squares) { return std::sqrt((sum * sum + squares) / 2); };
  return {value, std::max(0.0, value - half_common(down, down2)), value + half_common(up, up2), level};
}

Estimate product_of(std::span<const Estimate> factors, double level) {
  double value = 1, down2 = 0, up2 = 0;
  for (const Estimate& factor : factors) {
    value *= factor.value;
    if (factor.value <= 0) continue;
    // Widths are logarithms, so that a wide interval stays positive; a lower bound of 0 counts as one millionth of the
    // value.
    const double below = std::log(factor.value / std::max(factor.low, 1e-6 * factor.value));
    const double above = std::log(factor.high / factor.value);
    down2 += below * below;
    up2 += above * above;
  }
  return {value, value * std::exp(-std::sqrt(down2)), value * std::exp(std::sqrt(up2)), level};
}

Estimate at_least(const Estimate& estimate, const Estimate& least) {
  return {std::max(estimate.value, least.value), std::max(estimate.low, least.low), std::max(estimate.high, least.high),
          estimate.level};
}

Estimate at_most(const Estimate& estimate, double most) {
  return {std::min(estimate.value, most), std::min(estimate.low, most), std::min(estimate.high, most), estimate.level};
}

Estimate widened(Estimate estimate, double relative) {
  // The lower bound is as far away as the upper one, in logarithms, so that it stays positive.
  estimate.low = std::min(estimate.low, estimate.value / (1 + relative));
  estimate.high = std::max(estimate.high, estimate.value * (1 + relative));
  return estimate;
}

}  // namespace scalediag::fit
