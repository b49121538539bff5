#include "fit/curves/curve_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scalediag::fit {

PerHypothesis CurveFit::shares() const {
  PerHypothesis shares{};
  for (const PerHypothesis& anchor : weights_) {
    double total = 0;
    for (const double w : anchor) total += w;
    for (size_t l = 0; l < kHypotheses; l++) shares[l] += anchor[l] / total / kAnchors.size();
  }
  return shares;
}

// The factor from the hypotheses, which are those of the new regime, to the regime at `log_x`; a logarithm.
double CurveFit::step_back(double log_x) const {
  if (!change_ || !change_->confirmed) return 0;
  const double from = curve_.scales->log_x[change_->after];
  const double to = curve_.scales->log_x[change_->after + 1];
  return -change_->log_factor * std::clamp((to - log_x) / (to - from), 0.0, 1.0);
}

// The factor from the curve that both kinds of process grid share to the kind at `log_x`; a logarithm.
double CurveFit::of_kind(double log_x) const {
  return half_factor_of_kinds_ ? grid_kind(log_x, curve_.scales->log_x.front()) * *half_factor_of_kinds_ : 0;
}

// The correction of each hypothesis at `log_x`, a logarithm: its residual at the nearest measurement. That is the last
// one beyond the measurements, the first one before them, and linear interpolation between two.
PerHypothesis CurveFit::missed_at(double log_x) const {
  const ScaleTable& t = *curve_.scales;
  if (log_x >= t.log_x.back()) return missed_last_;
  const auto missed = [&](size_t scale) {
    PerHypothesis out = log_values_at_scale(hypotheses_, t, scale);
    const double measured = std::log(curve_.values[scale]) - step_back(t.log_x[scale]) - of_kind(t.log_x[scale]);
    for (double& v : out) v = measured - v;
    return out;
  };
  if (log_x < t.log_x.front()) return missed(0);
  const auto right = static_cast<size_t>(std::upper_bound(t.log_x.begin(), t.log_x.end(), log_x) - t.log_x.begin());
  const double part = (log_x - t.log_x[right - 1]) / (t.log_x[right] - t.log_x[right - 1]);
  PerHypothesis out = missed(right - 1);
  if (part == 0) return out;
  const PerHypothesis next = missed(right);
  for (size_t l = 0; l < kHypotheses; l++) out[l] += part * (next[l] - out[l]);
  return out;
}

Combined CurveFit::combined(double x) const {
  const ScaleTable& t = *curve_.scales;
  const double log_x = std::log(x);
  const double step = step_back(log_x) + of_kind(log_x);
  PerHypothesis fitted = log_values(hypotheses_, x, log_x);
  for (double& v : fitted) v += step;
  Orders orders;
  Combined c = combine(fitted, missed_at(log_x), weights_, &orders);
  // Two points are one step: they do not show whether a decrease will turn into growth, or growth into a decrease.
  if (curve_.values.size() == kScalesForTrend && (log_x > t.log_x.back() || log_x < t.log_x.front())) {
    const size_t nearest = log_x > t.log_x.front() ? 1 : 0;
    const double last = std::log(curve_.values[nearest]);
    c.center =
        curve_.values[nearest] > curve_.values[1 - nearest] ? std::max(c.center, last) : std::min(c.center, last);
  }
  if (const auto value = ding_value(ding_, x)) c.move_to(std::log(*value));
  return c;
}

HalfWidths CurveFit::half_widths(double doublings, double spread, double change) const {
  const HalfWidths width = expected_half_widths(typical_error_, doublings, spread, exact_ ? 0 : change);
  return {std::min(quantiles_.below * width.below, kWidest), std::min(quantiles_.above * width.above, kWidest)};
}

double CurveFit::log_value(double x) const { return combined(x).center; }

LogEstimate CurveFit::estimate(double x) const {
  const Combined c = combined(x);
  const ScaleTable& t = *curve_.scales;
  const double log_x = std::log(x);
  const double beyond = std::max({0.0, log_x - t.log_x.back(), t.log_x.front() - log_x}) / std::numbers::ln2;
  const size_t nearest = log_x < t.log_x.front() ? 0 : curve_.values.size() - 1;
  LogEstimate e = {c.center,
                   half_widths(beyond, c.spread, beyond > 0 ? c.center - std::log(curve_.values[nearest]) : 0)};
  const auto widen = [&e](double error) { e.half_widths = together(e.half_widths, {error, error}); };
  // The error of the free hypothesis by noise in its coefficients, as far as it is the one that is followed.
  if (free_) widen(shares()[static_cast<size_t>(Hypothesis::kFree)] * free_noise_ * free_->error_at(x));
  // A metric that changed its regime may return to the old one, or change by as much again.
  if (change_ && log_x > t.log_x[change_->after]) widen(change_->log_factor);
  // A scale that belongs to neither kind of grid may behave like either of them.
  if (half_factor_of_kinds_ && of_kind(log_x) == 0) widen(*half_factor_of_kinds_);
  return e;
}

HalfWidths CurveFit::half_widths_with(double x, double at) const {
  const double distance = std::max(0.0, std::log2(x / at));
  const double here = std::log2(x / curve_.scales->x.back());
  const Combined c = combined(x);
  const double part = here > 0 ? distance / here : 1;
  return half_widths(distance, c.spread * std::sqrt(part), (c.center - std::log(curve_.values.back())) * part);
}

}  // namespace scalediag::fit
