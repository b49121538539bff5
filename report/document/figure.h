// A figure of values over the number of processes, as data. Measured and predicted points are
// different series: filled symbols on a solid line, and hollow symbols on a dashed line that begins at the first
// predicted point. Symbols differ in shape as well as in colour, so that they can be told apart in grey.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::report {

struct FigurePoint {
  double processes = 0;
  double value = 0;
  std::optional<double> low, high;  // the interval; empty: not known
};

struct FigureSeries {
  std::string label;
  size_t style = 0;  // series of one problem have the same symbol and colour
  bool predicted = false;
  std::vector<FigurePoint> points;  // by rising processes
};

struct FigureLine {
  std::string label;
  std::vector<FigurePoint> points;  // of two: the ends
  bool is_bound = false;            // an efficiency that is to be kept; else what is ideal
};

struct Figure {
  std::string name;  // "speedup", "efficiency", for file names
  std::string title;
  std::string y_title;
  bool logarithmic = false;  // y; x always is
  bool is_percent = false;   // values are shares of 1
  std::vector<FigureSeries> series;
  std::vector<FigureLine> lines;
};

}  // namespace scalediag::report
