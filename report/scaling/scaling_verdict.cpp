#include "report/scaling/scaling_verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/regression.h"
#include "fit/data/observations.h"
#include "fit/numerics/normal_quantile.h"

namespace scalediag::report {
namespace {

// One-sided 95 %, as many standard errors as the interval of level 0.9 has.
constexpr double kDoubt = fit::kNormal90;

double log_ratio(double a, double b) { return std::log(std::max(a, 1e-300) / std::max(b, 1e-300)); }

// The first scale from which on, up to the target, doublings bring less than the limit requires.
double first_above(const std::function<double(double)>& value, double from, double target, double limit) {
  std::vector<double> scales;
  for (double p = from; p < target * 0.999; p *= 2) scales.push_back(p);
  double stops = target;
  for (auto p = scales.rbegin(); p != scales.rend(); ++p) {
    if (exponent_between(value, *p, std::min(2 * *p, target)) <= limit) break;
    stops = *p;
  }
  return stops;
}

// The least relative scatter: CPU times repeat to two percent at best.
constexpr double kLeastScatter = 0.02;

// Whether the measured times, fitted by a / P + b, certainly have a part b of a tenth or more of the time at the
// target. Divided work whose cost grows a little with the processes has such a part, and work that every rank repeats.
bool has_part_that_stays(std::span<const MeasuredScale> measured, double target) {
  constexpr double kMuch = 0.1;
  // t P = a + b P by least squares in relative error: with u = 1 / t and v = 1 / (P t) the rows are a v + b u = 1.
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0, n = 0, known = 0;
  for (const MeasuredScale& m : measured) {
    if (!(m.value > 0)) continue;
    const double u = 1 / m.value, v = u / m.processes;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
    n += 1;
    known = std::max(known, m.relative_error);
  }
  const double determinant = uu * vv - uv * uv;
  if (n < 3 || !(determinant > 1e-12 * uu * vv)) return false;
  const double a = (v1 * uu - u1 * uv) / determinant, b = (u1 * vv - v1 * uv) / determinant;
  if (!(a > 0) || !(b > 0)) return false;
  const double scatter = std::max(0.0, n - a * v1 - b * u1) / (n - 2);
  const double deviation = std::max({std::sqrt(scatter), known, kLeastScatter});
  return b > kDoubt * deviation * std::sqrt(vv / determinant) && b > kMuch * (a / target + b);
}

}  // namespace

bool lies_beyond_two_scales(size_t scales, double largest, double target) {
  return scales <= fit::kScalesForTrend && target > 2.001 * largest;
}

std::optional<Slope> slope_of(std::span<const MeasuredScale> measured) {
  std::vector<double> x, y, known;
  for (const MeasuredScale& m : measured) {
    if (!(m.value > 0)) continue;
    x.push_back(std::log(m.processes));
    y.push_back(std::log(m.value));
    known.push_back(m.relative_error);
  }
  const auto line = core::line_through(x, y);
  if (!line) return std::nullopt;
  double sampling = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sampling += (x[i] - line->mean_x) * (x[i] - line->mean_x) * known[i] * known[i];
  }
  const double variance = std::max(line->variance(), kLeastScatter * kLeastScatter);
  const double by_sampling = sampling / (line->spread * line->spread);
  return Slope{line->slope, std::max(line->slope_error(variance), std::sqrt(by_sampling))};
}

double exponent_between(const std::function<double(double)>& value, double from, double to) {
  if (!(to > from) || !(from > 0)) return 0;
  const double a = value(from), b = value(to);
  if (!(a > 0) || !(b > 0)) return 0;
  return log_ratio(b, a) / std::log(to / from);
}

ScalingVerdict judge_scaling(const std::function<double(double)>& value,
                             const std::function<fit::Estimate(double)>& estimate,
                             std::span<const MeasuredScale> measured, double target, Scaling scaling) {
  const double limit = scaling == Scaling::kWeak ? kWeakLimit : kStrongLimit;
  const double smallest = measured.front().processes, largest = measured.back().processes;
  ScalingVerdict verdict;
  const std::optional<Slope> slope = slope_of(measured);
  const bool measured_above = slope && slope->exponent - kDoubt * slope->error > limit;
  bool predicted_above = false, value_above = slope && slope->exponent > limit, may_be_above = value_above;
  if (target > largest * 1.001) {
    verdict.exponent = exponent_between(value, largest, target);
    const double reference = value(largest);
    const fit::Estimate at_target = estimate(target);
    const auto is_above = [&](double there) {
      return reference > 0 && there > 0 && log_ratio(there, reference) / std::log(target / largest) > limit;
    };
    predicted_above = is_above(at_target.low);
    value_above = verdict.exponent > limit;
    // A constant part shows in the last doubling first.
    may_be_above = value_above || is_above(at_target.high) ||
                   exponent_between(value, std::max(target / 2, largest), target) > limit;
  } else if (slope) {
    verdict.exponent = slope->exponent;
  }
  // A verdict from the measured points needs the trend at the target to agree.
  if (predicted_above || (measured_above && value_above)) {
    verdict.scales = false;
    verdict.stops_at = first_above(value, smallest, std::max(target, largest), limit);
    if (measured_above && *verdict.stops_at > largest) verdict.stops_at = largest;
  } else if (!may_be_above && (scaling == Scaling::kWeak || !has_part_that_stays(measured, target))) {
    verdict.scales = true;
  }
  return verdict;
}

}  // namespace scalediag::report
