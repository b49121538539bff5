#include "fit/curves/steady.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/regression.h"
#include "core/statistics.h"
#include "fit/curves/model.h"
#include "fit/curves/regime.h"
#include "fit/numerics/normal_quantile.h"
#include "fit/numerics/student_t.h"

namespace scalediag::fit {
namespace {

struct LogPoint {
  double x = 0;
  double y = 0;
  double variance = 0;  // of y, as repeats show it; 0: one value
};

// The points by rising scale; empty where a straight line over the processes makes no sense.
std::vector<LogPoint> points_of(const Series& series) {
  std::vector<LogPoint> points;
  for (const Observation& o : series.observations) {
    const double value = core::mean(o.values);
    if (!(value > 0) || !std::isfinite(value) || !(process_count(o.at) > 0)) return {};
    if (!std::equal(o.at.begin() + 1, o.at.end(), series.observations.front().at.begin() + 1)) return {};
    const double deviation = core::standard_deviation(o.values) / value;
    points.push_back(
        {std::log(process_count(o.at)), std::log(value), deviation * deviation / static_cast<double>(o.values.size())});
  }
  std::ranges::sort(points, [](const LogPoint& a, const LogPoint& b) { return a.x < b.x; });
  const auto same = [](const LogPoint& a, const LogPoint& b) { return a.x == b.x; };
  if (std::adjacent_find(points.begin(), points.end(), same) != points.end()) return {};
  return points;
}

bool changes_regime(const std::vector<LogPoint>& points) {
  std::vector<double> x, y;
  for (const LogPoint& p : points) {
    x.push_back(p.x);
    y.push_back(p.y);
  }
  return find_break(x, y).has_value();
}

}  // namespace

std::optional<double> steady_level(const Series& series, double known_error) {
  const std::vector<LogPoint> points = points_of(series);
  if (points.size() < kScalesForCheck || changes_regime(points)) return std::nullopt;
  std::vector<double> x, y, variances;
  for (const LogPoint& p : points) {
    x.push_back(p.x);
    y.push_back(p.y);
    variances.push_back(p.variance);
  }
  const auto line = core::line_through(x, y);
  if (!line) return std::nullopt;
  double explained = kNormal90 * line->slope_error(std::max(core::mean(variances), known_error * known_error));
  if (points.size() > kScalesForCheck) {
    const double quantile = student_t_quantile(0.95, static_cast<double>(points.size() - 2));
    explained = std::max(explained, quantile * line->slope_error(line->variance()));
  }
  // A slope that rounding makes in a constant series is no trend either.
  constexpr double kRounding = 1e-9;
  return std::abs(line->slope) <= std::max(explained, kRounding) ? std::optional(std::exp(line->mean_y)) : std::nullopt;
}

}  // namespace scalediag::fit
