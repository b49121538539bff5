// The straight line through points by least squares.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace scalediag::core {

// y = mean_y + slope (x - mean_x)
struct Line {
  size_t points = 0;
  double mean_x = 0;
  double mean_y = 0;
  double slope = 0;
  double spread = 0;   // sum of the squares of x - mean_x; above 0
  double scatter = 0;  // sum of the squared distances of the points from the line, along y

  // The standard error of the slope for points that deviate by this variance, along y, each by itself.
  double slope_error(double variance_of_y) const;
  // The variance of the points around the line; 0 for two points, which have no scatter of their own.
  double variance() const;
};

// Precondition: as many y as x. Empty for fewer than two different x.
std::optional<Line> line_through(std::span<const double> x, std::span<const double> y);

}  // namespace scalediag::core
