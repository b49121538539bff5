#include "fit/numerics/normal_quantile.h"

#include <cmath>
#include <numbers>

namespace scalediag::fit {

double normal_quantile(double p) {
  // Newton's method on erfc. From 0 it converges from below: the distribution function is concave there.
  double z = 0;
  for (int i = 0; i < 50; i++) {
    const double f = 0.5 * std::erfc(-z / std::numbers::sqrt2) - p;
    const double slope = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double step = f / slope;
    z -= step;
    if (std::abs(step) < 1e-12) break;
  }
  return z;
}

}  // namespace scalediag::fit
