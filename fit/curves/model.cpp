#include "fit/curves/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/most_ranks.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/curves/ding_models.h"
#include "fit/curves/fitted_series.h"
#include "fit/curves/formula.h"
#include "fit/numerics/normal_quantile.h"

namespace scalediag::fit {
namespace {

// Hypotheses with less than this share are not members.
constexpr double kMember = 0.01;
constexpr double kConstantExponent = 0.05;

// The variable that formulas are written in.
std::string variable_of(const internal::FittedSeries& f) {
  const std::string& x = f.parameter_names[f.dimension];
  return f.size ? "(" + core::to_text(f.size->measured) + " " + x + " / " + f.parameter_names[f.size->dimension] + ")"
                : x;
}

// The same for a parameter of several.
std::string variable_of(const internal::FittedSeries& f, size_t parameter) {
  return parameter == f.dimension ? variable_of(f) : f.parameter_names[parameter];
}

// "p^-0.8 n^2.97" of the product of powers.
std::string product_term(const internal::FittedSeries& f) {
  std::string term;
  for (size_t j = 0; j < f.several->dimensions().size(); j++) {
    std::array<char, 32> exponent{};
    // Values of six digits do not tell smaller exponents from 0.
    const double rounded = std::round(1e6 * f.several->product().exponents[j]) / 1e6 + 0.0;
    std::snprintf(exponent.data(), exponent.size(), "^%.3g", rounded);
    term += (j > 0 ? " " : "") + variable_of(f, f.several->dimensions()[j]) + exponent.data();
  }
  return term;
}

std::string product_formula(const internal::FittedSeries& f) {
  return core::four_digits(std::exp(f.several->product().log_factor)) + " " + product_term(f);
}

// The member with the largest share; of equal ones the one with the smaller backtest error, and then the simpler one.
// Hypotheses that coincide differ by errors of rounding only.
size_t leading_hypothesis(const CurveFit& fit) {
  const PerHypothesis shares = fit.shares();
  size_t best = 0;
  for (size_t l = 1; l < kHypotheses; l++) {
    const bool equal = std::abs(shares[l] - shares[best]) < kExact;
    if (equal ? fit.hypothesis_errors()[l] < fit.hypothesis_errors()[best] - kExact : shares[l] > shares[best])
      best = l;
  }
  return best;
}

// A mean error as a logarithm: "12 %".
std::string missed_text(double log_error) {
  const double relative = std::expm1(log_error);
  return relative + 1 > kNoValue ? error_text(relative) : core::spaced_percent(relative);
}

// The formula's coefficients: of the form of Ding et al. that gives the value, else of the leading hypothesis.
std::vector<Coefficient> coefficients_of_curve(const CurveFit& fit, const std::string& x) {
  return fit.ding_models().empty() ? coefficients_of(fit.hypotheses()[leading_hypothesis(fit)], x)
                                   : fit.ding_models().front().coefficients(x);
}

std::string formula_of_curve(const CurveFit& fit, const std::string& x) {
  return fit.ding_models().empty() ? formula_of(fit.hypotheses()[leading_hypothesis(fit)], x)
                                   : text_of(fit.ding_models().front().coefficients(x));
}

int members_of(const CurveFit& fit) {
  const PerHypothesis shares = fit.shares();
  return static_cast<int>(std::ranges::count_if(shares, [](double s) { return s >= kMember; }));
}

// The curve along each parameter on which the largest configurations lie, as a formula.
std::string curve_formulas(const internal::FittedSeries& f) {
  std::string text;
  for (const size_t d : f.several->dimensions()) {
    const Slice* shown = nullptr;
    for (const Slice& s : f.several->slices())
      if (s.dimension == d && (shown == nullptr || s.at > shown->at)) shown = &s;
    if (shown == nullptr) continue;
    const CurveFit& fit = f.several->fits()[shown->curve];
    text += (text.empty() ? "" : "; ") + formula_of_curve(fit, variable_of(f, d));
    for (const size_t other : f.several->dimensions())
      if (other != d) text += " at " + variable_of(f, other) + " = " + core::to_text(shown->at[other]);
  }
  return text;
}

// The curves along the processes, by which a series is judged; along the parameter that varies where the processes do
// not.
std::vector<const CurveFit*> curves_of(const internal::FittedSeries& f) {
  std::vector<const CurveFit*> out;
  if (f.curve) out.push_back(&*f.curve);
  if (f.several)
    for (const Slice& s : f.several->slices())
      if (s.dimension == f.dimension) out.push_back(&f.several->fits()[s.curve]);
  return out;
}

// The point with the largest value of a parameter; of several the last one.
const Point& largest_point(const internal::FittedSeries& f, size_t parameter) {
  return *std::ranges::max_element(f.data.points, [parameter](const Point& a, const Point& b) {
    return a.at[parameter] != b.at[parameter] ? a.at[parameter] < b.at[parameter] : a.at < b.at;
  });
}

LogEstimate log_estimate(const internal::FittedSeries& f, std::span<const double> at) {
  const double x = internal::position(f, at);
  if (f.several) {
    std::vector<double> modelled(at.begin(), at.end());
    modelled[f.dimension] = x;
    return f.several->estimate(modelled);
  }
  LogEstimate e = f.curve->estimate(x);
  if (f.size) {
    // Equal work per process is assumed to cost the same. This is as uncertain as an extrapolation as far away.
    const double apart = std::abs(std::log2(at[f.size->dimension] / f.size->measured));
    if (apart > 0) e.half_widths = together(e.half_widths, f.curve->half_widths_after(apart));
  }
  return e;
}

}  // namespace

Model::Model(std::shared_ptr<const internal::FittedSeries> fitted) : fitted_(std::move(fitted)) {}

const std::vector<std::string>& Model::parameter_names() const { return fitted_->parameter_names; }
const std::string& Model::metric() const { return fitted_->metric; }
const std::string& Model::kernel() const { return fitted_->kernel; }
int Model::points() const { return static_cast<int>(fitted_->data.points.size()); }
int Model::values() const { return fitted_->data.values; }
double Model::noise() const { return fitted_->data.noise; }
const std::vector<std::string>& Model::notes() const { return fitted_->data.notes; }

double Model::value(std::span<const double> at) const {
  const internal::FittedSeries& f = *fitted_;
  if (f.several) return evaluate(at).value;
  if (!f.curve) return 0;
  return std::min(std::exp(f.curve->log_value(internal::position(f, at))), kLargestValue);
}

Estimate Model::evaluate(std::span<const double> at) const {
  const internal::FittedSeries& f = *fitted_;
  if (!f.curve && !f.several) return {0, 0, 0, f.level};
  LogEstimate e = log_estimate(f, at);
  // The deviation of a single run at the target.
  const double noise = normal_quantile(0.5 + 0.5 * f.level) * f.data.noise;
  if (noise > 0) e.half_widths = together(e.half_widths, {noise, noise});
  Estimate out;
  out.level = f.level;
  out.value = std::min(std::exp(e.center), kLargestValue);
  out.low = out.value * std::exp(-e.half_widths.below);
  out.high = std::min(out.value * std::exp(e.half_widths.above), kLargestValue);
  if (f.superlinear && internal::position(f, at) > f.curve->curve().scales->x.back()) out.low *= kCacheFactor;
  return out;
}

std::vector<Alternative> Model::alternatives() const {
  const internal::FittedSeries& f = *fitted_;
  std::vector<Alternative> out;
  if (f.several) {
    const Backtest checked = backtest();
    const bool exact = f.several->product().exact;
    out.push_back({"curves along each parameter",
                   curve_formulas(f),
                   {},
                   std::log1p(checked.median_error),
                   exact ? 0.0 : 1.0,
                   exact ? "the product of powers passes through every point" : ""});
    out.push_back({"product of powers",
                   product_formula(f),
                   {},
                   f.several->product().deviation,
                   exact ? 1.0 : 0.0,
                   exact ? "" : "used only where no measured curve leads to the target"});
    if (exact) std::swap(out.front(), out.back());
    return out;
  }
  if (!f.curve) return {{"zero", "0", {}, 0, 1, ""}};
  const CurveFit& fit = *f.curve;
  const PerHypothesis shares = fit.shares();
  const bool checked = !fit.checked().empty();
  const double least = *std::min_element(fit.hypothesis_errors().begin(), fit.hypothesis_errors().end());
  const std::string x = variable_of(f);
  const Curve& curve = fit.curve();
  const bool by_ding = !fit.ding_models().empty();
  for (size_t l = 0; l < kHypotheses; l++) {
    const FittedHypothesis& hypothesis = fit.hypotheses()[l];
    if (static_cast<Hypothesis>(l) == Hypothesis::kFree && hypothesis.hypothesis != Hypothesis::kFree) continue;
    Alternative a{name_of(static_cast<Hypothesis>(l)),
                  formula_of(hypothesis, x),
                  coefficients_of(hypothesis, x),
                  fit.hypothesis_errors()[l],
                  shares[l],
                  ""};
    if (by_ding || a.weight < kMember) {
      a.weight = 0;
      a.reason = by_ding          ? "only for comparison: the forms of Ding et al. were asked for"
                 : fit.is_exact() ? "missed larger scales by " + missed_text(a.backtest_error) +
                                        "; another hypothesis reproduces every point"
                 : checked ? "missed larger scales by " + missed_text(a.backtest_error) +
                                 " where the best hypothesis missed them by " + missed_text(least)
                           : "did worse on the other kernels";
    }
    out.push_back(std::move(a));
  }
  for (const DingModel& model : ding_models(*curve.scales, curve.values, curve.weights, curve.values.size()))
    out.push_back(ding_alternative(model, *curve.scales, curve.values.back(), x));
  const std::string leading =
      by_ding ? fit.ding_models().front().name() : name_of(static_cast<Hypothesis>(leading_hypothesis(fit)));
  std::ranges::stable_sort(out, [](const Alternative& a, const Alternative& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.backtest_error < b.backtest_error;
  });
  // Among hypotheses with equal share, the one that formula() shows.
  const auto first = std::ranges::find_if(out, [&](const Alternative& a) { return a.hypothesis == leading; });
  std::rotate(out.begin(), first, first + 1);
  if (by_ding) {
    out.front().weight = 1;
    out.front().reason.clear();
  }
  return out;
}

ValueOfFormula Model::value_of_formula() const {
  const internal::FittedSeries& f = *fitted_;
  if (f.several && f.several->product().exact) return {true, "product of powers", 1, 1};
  if (f.several) return {false, "product of powers", 0, static_cast<int>(f.several->fits().size())};
  if (!f.curve) return {true, "zero", 1, 1};
  if (!f.curve->ding_models().empty()) return {true, f.curve->ding_models().front().name(), 1, 1};
  const size_t leading = leading_hypothesis(*f.curve);
  // Where kinds of process grid are told apart, the formula is that of the curve which both share.
  const bool is_value = f.curve->is_exact() && !f.curve->half_factor_of_kinds();
  return {is_value, name_of(static_cast<Hypothesis>(leading)), f.curve->shares()[leading],
          f.curve->is_exact() ? 1 : members_of(*f.curve)};
}

std::string Model::formula() const {
  const internal::FittedSeries& f = *fitted_;
  if (f.several) return product_formula(f);
  return f.curve ? formula_of_curve(*f.curve, variable_of(f)) : "0";
}

double Model::formula_value(std::span<const double> at) const {
  const internal::FittedSeries& f = *fitted_;
  const double x = internal::position(f, at);
  if (f.curve && !f.curve->ding_models().empty()) return f.curve->ding_models().front().value(x);
  if (f.curve) return std::exp(f.curve->hypotheses()[leading_hypothesis(*f.curve)].log_value(x, std::log(x)));
  if (!f.several) return 0;
  std::vector<double> modelled(at.begin(), at.end());
  modelled[f.dimension] = x;
  return std::exp(f.several->log_product(modelled));
}

std::vector<Coefficient> Model::coefficients() const {
  const internal::FittedSeries& f = *fitted_;
  if (f.curve) return coefficients_of_curve(*f.curve, variable_of(f));
  if (!f.several) return {};
  return {{product_term(f), std::exp(f.several->product().log_factor)}};
}

Behaviour Model::behaviour(int parameter) const {
  const internal::FittedSeries& f = *fitted_;
  if (!f.curve && !f.several) return {};
  const auto d = static_cast<size_t>(parameter);
  constexpr double kFurther = 4;
  std::vector<double> at = largest_point(f, d).at;
  const double here = value(at);
  at[d] *= kFurther;
  const double there = value(at);
  Behaviour b;
  b.exponent = here > 0 && there > 0 ? std::log(there / here) / std::log(kFurther) : 0;
  if (std::abs(b.exponent) >= kConstantExponent) b.trend = b.exponent > 0 ? Trend::kGrowing : Trend::kDecreasing;
  return b;
}

std::optional<RegimeChange> Model::regime_change() const {
  const CurveFit* changed = nullptr;
  for (const CurveFit* fit : curves_of(*fitted_))
    if (fit->change() && (!changed || fit->curve().values.back() > changed->curve().values.back())) changed = fit;
  if (!changed) return std::nullopt;
  const Break& change = *changed->change();
  const std::vector<double>& x = changed->curve().scales->x;
  return RegimeChange{variable_of(*fitted_), x[change.after], x[change.after + 1], std::exp(change.log_factor),
                      change.confirmed};
}

Backtest Model::backtest() const {
  std::vector<double> errors;
  Backtest out;
  for (const CurveFit* fit : curves_of(*fitted_)) {
    const size_t n = fit->curve().values.size();
    for (const Checked& c : fit->checked()) {
      errors.push_back(std::abs(std::expm1(c.error)));
      if (c.known + 1 == n) {
        // With several curves the one with the largest value is taken for all, since it matters most.
        const double measured = fit->curve().values.back();
        if (measured > out.measured_largest) {
          out.measured_largest = measured;
          out.predicted_largest = measured * std::exp(c.error);
        }
      }
    }
  }
  out.predictions = static_cast<int>(errors.size());
  if (errors.empty()) return out;
  for (const double e : errors) out.mean_error += e / static_cast<double>(errors.size());
  out.median_error = core::median(errors);
  return out;
}

std::optional<NextRun> Model::next_run() const {
  const internal::FittedSeries& f = *fitted_;
  if (!f.curve && !f.several) return std::nullopt;
  const std::string& name = f.parameter_names[f.dimension];
  const Point& largest = largest_point(f, f.dimension);
  NextRun run;
  run.at = largest.at;
  double& x = run.at[f.dimension];
  const std::vector<const CurveFit*> curves = curves_of(f);
  // No machine has so many processes.
  const bool is_processes = !curves.empty() && curves.front()->curve().scales->axis == Axis::kProcesses;
  if (is_processes && 2 * x > core::kMostProcesses) return std::nullopt;
  if (!std::isfinite(8 * x)) return std::nullopt;
  if (const auto change = regime_change(); change && !change->confirmed) {
    run.reason = "the last scale departs from the trend of the others: repeat it to tell a bad run from a new regime";
    return run;
  }
  const double typical = curves.empty() ? 0 : curves.front()->typical_error();
  const double settled = f.data.noise / std::sqrt(static_cast<double>(largest.repeats));
  if (settled > typical) {
    run.reason = "repeats of one configuration differ by " + core::spaced_percent(f.data.noise) +
                 ", more than hypotheses miss: repeat it";
    return run;
  }
  const double further = 8 * x;
  const double place = internal::position(f, run.at);
  const double before = curves.empty() ? 0 : curves.front()->estimate(8 * place).half_widths.above;
  const double after = curves.empty() ? 0 : curves.front()->half_widths_with(8 * place, 2 * place).above;
  x *= 2;
  run.reason = "a run at twice the largest " + name;
  const double furthest = std::log(kNoValue);
  if (before > after && after > 0 && after > furthest) {
    run.reason +=
        "; even then the interval at " + name + " = " + core::to_text(further) + " is wider than a factor of 100";
  } else if (before > after && after > 0) {
    run.reason += " narrows the interval at " + name + " = " + core::to_text(further) + " from a factor of " +
                  (before > furthest ? "more than 100" : core::to_text(std::round(100 * std::exp(before)) / 100)) +
                  " to about " + core::to_text(std::round(100 * std::exp(after)) / 100);
  }
  return run;
}

}  // namespace scalediag::fit
