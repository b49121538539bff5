#include "fit/curves/hypotheses.h"

#include <algorithm>
#include <cmath>

#include "fit/numerics/free_form.h"
#include "fit/numerics/nonnegative_fit.h"

namespace scalediag::fit {
namespace {

// The strength by which exponents are drawn towards the nearest whole number, in units of the spread of log(x) at the
// weight of the last point. To first order programs have whole exponents (divide the work, do all of it everywhere,
// visit pairs).
constexpr double kLittleShrinkage = 0.05;
constexpr double kShrinkage = 0.5;
// The share of a trend's excess over the ideal that goes on beyond the measurements.
constexpr double kDamping = 0.5;
// The steepest exponent. No program's cost is steeper for long, but a power fitted to two noisy neighbours can be.
constexpr double kSteepest = 3;

// The usual powers without the rounding of a logarithm.
double power_of(double x, double log_x, double power) {
  return power == 1      ? x
         : power == -1   ? 1 / x
         : power == 0.5  ? std::sqrt(x)
         : power == -0.5 ? 1 / std::sqrt(x)
                         : std::exp(power * log_x);
}

// 0 where there is no term.
double value_of(const Term& term, double x, double log_x, double first) {
  if (term == Term{}) return 0;
  double value = power_of(x, log_x, term.power);
  const double log = term.log_power == 0 ? 1 : std::max(0.0, std::log2(x * log_unit(first)));
  for (int i = 0; i < term.log_power; i++) value *= log;
  return term.rate == 0 ? value : value * std::exp(-term.rate / first * x);
}

std::array<double, 2> values_of(const Terms& terms, double x, double log_x, double first) {
  return {value_of(terms[0], x, log_x, first), value_of(terms[1], x, log_x, first)};
}

// Weighted sums of log(x) and log(y), from which every straight line in logarithms follows.
struct LogSums {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  void add(double weight, double log_x, double log_y) {
    w += weight;
    x += weight * log_x;
    y += weight * log_y;
    xx += weight * log_x * log_x;
    xy += weight * log_x * log_y;
  }
  double slope(double shrinkage) const {
    const double sxx = xx - x * x / w;
    // Where one point has all the weight, rounding can leave 0.
    if (!(sxx > 0)) return 0;
    const double b = (xy - x * y / w) / sxx;
    const double whole = std::round(b);
    return std::clamp(whole + (b - whole) * sxx / (sxx + shrinkage), -kSteepest, kSteepest);
  }
};

bool is_exact_line(const FittedHypothesis& f, const ScaleTable& t, std::span<const double> log_y) {
  for (size_t i = 0; i < log_y.size(); i++)
    if (!(std::abs(f.c[0] + f.exponent * t.log_x[i] - log_y[i]) < kExact)) return false;
  return true;
}

// The lines through the points of `log_y`. `last_weight` is the weight of the last of them.
void fit_lines(const ScaleTable& t, std::span<const double> log_y, const LogSums& sums, double last_weight,
               FittedHypotheses* hypotheses) {
  const size_t n = log_y.size();
  const auto set = [&](Hypothesis hypothesis, double slope) -> FittedHypothesis& {
    FittedHypothesis& f = (*hypotheses)[static_cast<size_t>(hypothesis)];
    f.c[0] = (sums.y - slope * sums.x) / sums.w;
    f.exponent = f.beyond = slope;
    return f;
  };
  const double slope = sums.slope(0);
  set(Hypothesis::kLevel, 0);
  set(Hypothesis::kProportional, t.axis == Axis::kProcesses ? -1 : 1);
  FittedHypothesis& unchanged = set(Hypothesis::kDampedPower, slope);
  unchanged.beyond = damped(slope, t.axis);
  // Points without noise already give the exact exponent, which must not be drawn to a whole number.
  const bool exact = n > kScalesForCheck && is_exact_line(unchanged, t, log_y);
  set(Hypothesis::kPower, exact ? slope : sums.slope(kLittleShrinkage * last_weight));
  set(Hypothesis::kShrunkPower, sums.slope(kShrinkage * last_weight));
  const double last_slope = (log_y[n - 1] - log_y[n - 2]) / (t.log_x[n - 1] - t.log_x[n - 2]);
  FittedHypothesis& drift = set(Hypothesis::kDrift, damped(std::clamp(last_slope, -kSteepest, kSteepest), t.axis));
  drift.c[0] = log_y[n - 1] - drift.exponent * t.log_x[n - 1];
}

using SumEquations = std::array<NormalEquations, kSums.size()>;

// The best of the hypothesis's sums.
void fit_sum(const SumEquations& equations, FittedHypothesis* f) {
  const auto l = static_cast<size_t>(f->hypothesis);
  f->choice = static_cast<uint8_t>(kFirstSum[l]);
  double gain = 0;
  for (size_t s = kFirstSum[l]; s < kFirstSum[l + 1]; s++) {
    const NonnegativeSolution solution = solve_nonnegative(equations[s], kSums[s].columns);
    if (!(solution.gain > gain)) continue;
    gain = solution.gain;
    f->choice = static_cast<uint8_t>(s);
    f->c = solution.c;
  }
}

// `terms_of` gives the values of the terms of a sum.
double log_value_of(const FittedHypothesis& f, double x, double log_x, auto terms_of) {
  switch (row_of(f.hypothesis).kind) {
    case HypothesisRow::Kind::kLine:
      return f.c[0] + f.exponent * std::min(log_x, f.log_last) + f.beyond * std::max(0.0, log_x - f.log_last);
    case HypothesisRow::Kind::kFree:
      return FreeCurve{static_cast<FreeForm>(f.choice), f.c[1], f.exponent, f.c[0]}.log_value(x);
    case HypothesisRow::Kind::kSum: break;
  }
  const std::array<double, 2> terms = terms_of(f.choice);
  double value = f.c[0];
  for (size_t i = 0; i < terms.size(); i++)
    if (f.c[i + 1] > 0) value += f.c[i + 1] * terms[i];
  return std::log(std::max(kTiny, value));
}

double log_value_at_scale(const FittedHypothesis& f, const ScaleTable& t, size_t scale) {
  return log_value_of(f, t.x[scale], t.log_x[scale], [&](size_t sum) { return t.of_sums[scale][sum]; });
}

// The number of fitted numbers, without coefficients that are 0.
size_t unknowns_of(const FittedHypothesis& f) {
  const HypothesisRow& row = row_of(f.hypothesis);
  if (row.kind != HypothesisRow::Kind::kSum) return row.unknowns;
  const auto end = f.c.begin() + static_cast<std::ptrdiff_t>(kSums[f.choice].columns);
  return row.unknowns - static_cast<size_t>(std::count(f.c.begin(), end, 0));
}

}  // namespace

double damped(double slope, Axis axis) {
  if (axis == Axis::kSize) return slope;
  if (slope >= 0) return kDamping * slope;
  if (slope < -1) return -1 + kDamping * (slope + 1);
  return slope * (1 - kDamping * (1 + slope));
}

ScaleTable::ScaleTable(std::span<const double> scales, Axis a) : axis(a), x(scales.begin(), scales.end()) {
  for (const double v : x) {
    log_x.push_back(std::log(v));
    emphasis.push_back(std::sqrt(v));
    auto& row = of_sums.emplace_back();
    for (size_t s = 0; s < kSums.size(); s++) row[s] = values_of(kSums[s].terms, v, log_x.back(), x.front());
  }
}

std::shared_ptr<const ScaleTable> ScaleTables::at(const std::vector<double>& scales, Axis axis) {
  const std::scoped_lock lock(mutex_);
  auto& table = tables_[{axis, scales}];
  if (!table) table = std::make_shared<ScaleTable>(scales, axis);
  return table;
}

double FittedHypothesis::log_value(double x, double log_x) const {
  return log_value_of(*this, x, log_x, [&](size_t sum) { return values_of(kSums[sum].terms, x, log_x, first); });
}

PerHypothesis log_values(const FittedHypotheses& hypotheses, double x, double log_x) {
  PerHypothesis values;
  for (size_t l = 0; l < kHypotheses; l++) values[l] = hypotheses[l].log_value(x, log_x);
  return values;
}

PerHypothesis log_values_at_scale(const FittedHypotheses& hypotheses, const ScaleTable& t, size_t scale) {
  PerHypothesis values;
  for (size_t l = 0; l < kHypotheses; l++) values[l] = log_value_at_scale(hypotheses[l], t, scale);
  return values;
}

uint32_t exact_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y,
                          size_t count, double accuracy, size_t further_unknowns) {
  // One point more than unknowns can lie on a hypothesis by chance; two do not, to this precision.
  constexpr size_t kSpare = 2;
  uint32_t candidates = 0;
  for (size_t l = 0; l < kHypotheses; l++) {
    const FittedHypothesis& f = hypotheses[l];
    // Hypotheses that stand for another hypothesis where that has too few points are left out.
    if (f.hypothesis != static_cast<Hypothesis>(l) || f.hypothesis == Hypothesis::kDrift) continue;
    if (std::abs(f.beyond - f.exponent) > kExact) continue;
    if (count >= unknowns_of(f) + further_unknowns + kSpare) candidates |= 1U << l;
  }
  for (size_t i = count; i-- > 0 && candidates != 0;) {
    for (size_t l = 0; l < kHypotheses; l++)
      if ((candidates >> l & 1U) != 0 && !(std::abs(log_value_at_scale(hypotheses[l], t, i) - log_y[i]) < accuracy))
        candidates &= ~(1U << l);
  }
  return candidates;
}

std::vector<FittedHypotheses> fit_hypotheses(const ScaleTable& t, std::span<const double> values,
                                             std::span<const double> weights, size_t fewest) {
  const size_t n = values.size();
  std::vector<FittedHypotheses> fits(n + 1);
  std::vector<double> log_y(n);
  LogSums logs;
  SumEquations equations{};
  for (size_t i = 0; i < n; i++) {
    const double w = weights[i] * t.emphasis[i];
    const double inverse = 1 / values[i];
    log_y[i] = std::log(values[i]);
    logs.add(w, t.log_x[i], log_y[i]);
    for (size_t s = 0; s < kSums.size(); s++)
      equations[s].add({inverse, t.of_sums[i][s][0] * inverse, t.of_sums[i][s][1] * inverse}, w);

    const size_t count = i + 1;
    if (count < std::max<size_t>(kScalesForTrend, fewest)) continue;
    FittedHypotheses& hypotheses = fits[count];
    for (size_t l = 0; l < kHypotheses; l++) {
      hypotheses[l].hypothesis = static_cast<Hypothesis>(l);
      hypotheses[l].log_last = t.log_x[i];
      hypotheses[l].first = t.x.front();
    }
    fit_lines(t, std::span(log_y).first(count), logs, w, &hypotheses);
    for (const HypothesisRow& row : kHypothesisTable) {
      FittedHypothesis& f = hypotheses[static_cast<size_t>(row.hypothesis)];
      // With fewer points than unknowns, what is searched for would be arbitrary.
      if (row.kind == HypothesisRow::Kind::kFree || (!row.list.empty() && count < row.unknowns))
        f = hypotheses[static_cast<size_t>(row.stand_in)];
      else if (row.kind == HypothesisRow::Kind::kSum)
        fit_sum(equations, &f);
    }
  }
  return fits;
}

}  // namespace scalediag::fit
