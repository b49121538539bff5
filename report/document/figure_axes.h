// The ranges and ticks of a figure's axes, the same in all its renderings.
#pragma once

#include <string>
#include <vector>

#include "report/document/figure.h"

namespace scalediag::report {

struct FigureAxes {
  double x_low = 1, x_high = 2;  // x_low < x_high
  double y_low = 0, y_high = 1;
  std::vector<double> x_ticks;  // each number of processes of a point
  std::vector<double> y_ticks;
};

// An interval may leave the figure: it is cut off at 1.5 times the largest value and what is ideal.
FigureAxes axes_of(const Figure& figure);

std::string tick_text(const Figure& figure, double tick);

}  // namespace scalediag::report
