#include "fit/steady.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "core/statistics.h"
#include "fit/model.h"
#include "fit/normal_quantile.h"
#include "fit/regime.h"

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
    if (!(value > 0) || !std::isfinite(value) || !(o.at.front() > 0)) return {};
    if (!std::equal(o.at.begin() + 1, o.at.end(), series.observations.front().at.begin() + 1)) return {};
    const double deviation = core::standard_deviation(o.values) / value;
    points.push_back(
        {std::log(o.at.front()), std::log(value), deviation * deviation / static_cast<double>(o.values.size())});
  }
  std::sort(points.begin(), points.end(), [](const LogPoint& a, const LogPoint& b) { return a.x < b.x; });
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
  if (points.size() < static_cast<size_t>(kScalesForCheck) || changes_regime(points)) return std::nullopt;
  const double n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0, repeats = 0;
  for (const LogPoint& p : points) {
    mean_x += p.x / n;
    mean_y += p.y / n;
    repeats += p.variance / n;
  }
  double xx = 0, xy = 0;
  for (const LogPoint& p : points) {
    xx += (p.x - mean_x) * (p.x - mean_x);
    xy += (p.x - mean_x) * (p.y - mean_y);
  }
  const double slope = xy / xx;
  double scatter = 0;
  for (const LogPoint& p : points) scatter += std::pow(p.y - mean_y - slope * (p.x - mean_x), 2);

  double explained = kNormal90 * std::sqrt(std::max(repeats, known_error * known_error) / xx);
  if (points.size() > static_cast<size_t>(kScalesForCheck)) {
    const boost::math::students_t_distribution<double> student(n - 2);
    explained = std::max(explained, boost::math::quantile(student, 0.95) * std::sqrt(scatter / (n - 2) / xx));
  }
  // A slope that rounding makes in a constant series is no trend either.
  constexpr double kRounding = 1e-9;
  return std::abs(slope) <= std::max(explained, kRounding) ? std::optional(std::exp(mean_y)) : std::nullopt;
}

}  // namespace scalediag::fit
