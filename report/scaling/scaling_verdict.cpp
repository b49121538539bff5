#include "report/scaling/scaling_verdict.h"

#include <algorithm>
#include <cmath>
#include <numbers>
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

// The chance that a normal error puts a value so many standard errors above the truth.
double tail_chance(double errors) { return std::erfc(errors / std::numbers::sqrt2) / 2; }

// The least chance that times that go as `limit` are measured like these: by all scales, and by the last three, where a
// part that stays shows first.
double chance_by_scales(std::span<const MeasuredScale> measured, double limit) {
  double least = 1;
  for (const size_t n : {measured.size(), std::min<size_t>(measured.size(), 3)}) {
    const std::optional<Slope> slope = slope_of(measured.last(n));
    if (slope) least = std::min(least, tail_chance((slope->exponent - limit) / slope->error));
  }
  return least;
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

double chance_allowed(std::vector<double> chances, size_t kernels) {
  std::sort(chances.begin(), chances.end());
  for (size_t n = chances.size(); n > 0; --n) {
    const double allowed = kLevelOfOne * static_cast<double>(n) / static_cast<double>(std::max(kernels, n));
    if (chances[n - 1] <= allowed) return allowed;
  }
  return kLevelOfOne / static_cast<double>(std::max<size_t>(kernels, 1));
}

ScalingVerdict judge_scaling(const std::function<double(double)>& value,
                             const std::function<fit::Estimate(double)>& estimate,
                             std::span<const MeasuredScale> measured, double target, Scaling scaling,
                             const KnownOfKernel& known) {
  const double limit = limit_of(scaling);
  const double smallest = measured.front().processes, largest = measured.back().processes;
  ScalingVerdict verdict;
  const std::optional<Slope> slope = slope_of(measured);
  const std::optional<Slope> last = slope_of(measured.last(std::min<size_t>(measured.size(), 2)));
  const bool contradicted = last && last->exponent + kDoubt * last->error < limit;
  const double measured_chance =
      contradicted ? 1 : chance_by_scales(measured.first(measured.size() - known.last_departs), limit + known.slack);
  verdict.chance = measured_chance;
  bool value_above = slope && slope->exponent > limit, may_be_above = value_above;
  if (target > largest * 1.001) {
    verdict.exponent = exponent_between(value, largest, target);
    const double reference = value(largest), distance = std::log(target / largest);
    const fit::Estimate at_target = estimate(target);
    value_above = verdict.exponent > limit;
    if (reference > 0 && at_target.low > 0) {
      const double error = std::max(log_ratio(at_target.value, at_target.low) / kDoubt, 1e-9);
      const double above = log_ratio(at_target.value, reference) - (limit + known.slack) * distance;
      if (!known.only_measured) verdict.chance = std::min(verdict.chance, tail_chance(above / error));
    }
    // A constant part shows in the last doubling first.
    may_be_above = value_above ||
                   (reference > 0 && at_target.high > 0 && log_ratio(at_target.high, reference) > limit * distance) ||
                   exponent_between(value, std::max(target / 2, largest), target) > limit;
  } else if (slope) {
    verdict.exponent = slope->exponent;
  }
  // Counts decide before times, of which a model may fall by their noise alone.
  if (known.counts_stay) verdict.chance = 0;
  value_above |= known.counts_decide;
  if (value_above && verdict.chance <= kLevelOfOne) {
    verdict.scales = false;
    verdict.stops_at = first_above(value, smallest, std::max(target, largest), limit);
    if ((known.counts_decide || measured_chance <= kLevelOfOne) && *verdict.stops_at > largest)
      verdict.stops_at = largest;
  } else if (!may_be_above && (scaling == Scaling::kWeak || !has_part_that_stays(measured, target))) {
    verdict.scales = true;
  }
  return verdict;
}

}  // namespace scalediag::report
