#include "core/regression.h"

#include <cmath>

namespace scalediag::core {

double Line::slope_error(double variance_of_y) const { return std::sqrt(variance_of_y / spread); }

double Line::variance() const { return points > 2 ? scatter / static_cast<double>(points - 2) : 0; }

std::optional<Line> line_through(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2) return std::nullopt;
  const double n = static_cast<double>(x.size());
  Line line;
  line.points = x.size();
  for (size_t i = 0; i < x.size(); ++i) {
    line.mean_x += x[i] / n;
    line.mean_y += y[i] / n;
  }
  double product = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    line.spread += (x[i] - line.mean_x) * (x[i] - line.mean_x);
    product += (x[i] - line.mean_x) * (y[i] - line.mean_y);
  }
  if (!(line.spread > 0)) return std::nullopt;
  line.slope = product / line.spread;
  for (size_t i = 0; i < x.size(); ++i) {
    const double rest = y[i] - line.mean_y - line.slope * (x[i] - line.mean_x);
    line.scatter += rest * rest;
  }
  return line;
}

}  // namespace scalediag::core
