#include "report/document/figure_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

// How far an interval reaches beyond the largest value before it is cut off.
constexpr double kMostOfInterval = 1.5;

std::vector<double> powers_between(double low, double high) {
  const double step = high / low > 300 ? 10 : high / low > 40 ? 4 : 2;
  double tick = 1;
  while (tick / step >= low) tick /= step;
  while (tick < low) tick *= step;
  std::vector<double> ticks;
  for (; tick <= high * (1 + 1e-9); tick *= step) ticks.push_back(tick);
  return ticks;
}

}  // namespace

FigureAxes axes_of(const Figure& figure) {
  FigureAxes axes;
  std::set<double> processes;
  double largest = 0, smallest = std::numeric_limits<double>::infinity(), highest_end = 0;
  const auto take = [&](const FigurePoint& p) {
    largest = std::max(largest, p.value);
    smallest = std::min(smallest, p.value);
  };
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& p : series.points) {
      take(p);
      processes.insert(p.processes);
      highest_end = std::max(highest_end, p.high.value_or(0));
      if (p.low && *p.low > 0) smallest = std::min(smallest, std::max(*p.low, p.value / 10));
    }
  }
  for (const FigureLine& line : figure.lines) {
    for (const FigurePoint& p : line.points) take(p);
  }
  largest = std::max(largest, std::min(highest_end, kMostOfInterval * largest));
  axes.x_ticks.assign(processes.begin(), processes.end());
  axes.x_low = axes.x_ticks.front() / 1.12;
  axes.x_high = axes.x_ticks.back() * 1.12;
  if (figure.logarithmic) {
    axes.y_low = smallest / 1.15;
    axes.y_high = largest * 1.15;
    axes.y_ticks = powers_between(axes.y_low, axes.y_high);
    return axes;
  }
  axes.y_high = std::max(figure.is_percent ? 1.1 : 0.0, largest * 1.05);
  const double step = axes.y_high > 3 ? std::ceil(axes.y_high / 5) : axes.y_high > 1.5 ? 0.5 : 0.2;
  for (double tick = 0; tick <= axes.y_high + 1e-9; tick += step) axes.y_ticks.push_back(tick);
  return axes;
}

std::string tick_text(const Figure& figure, double tick) {
  return figure.is_percent ? core::fixed(100 * tick, 0) + "%" : core::to_text(tick);
}

}  // namespace scalediag::report
