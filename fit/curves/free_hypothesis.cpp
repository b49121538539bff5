#include "fit/curves/free_hypothesis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/numerics/normal_quantile.h"

namespace scalediag::fit {
namespace {

constexpr size_t kUnknowns = row_of(Hypothesis::kFree).unknowns;

void set_free(const FreeCurve& f, FittedHypotheses* hypotheses) {
  (*hypotheses)[static_cast<size_t>(Hypothesis::kFree)] = {
      Hypothesis::kFree, static_cast<uint8_t>(f.form), {f.c, f.a, 0}, f.b, f.b};
}

// An exponential of the number of processes is beyond any physical bound a doubling later.
bool grows_without_bound(const FreeCurve& f, Axis axis) {
  return f.form == FreeForm::kExponential && f.b > 0 && axis == Axis::kProcesses;
}

// Whether the form, fitted to the first `known` scales, meets each scale. Adds up what it misses the others by.
bool meets_all(const FreeFit& f, const ScaleTable& t, std::span<const double> log_y, size_t known, double noise,
               double* missed) {
  for (size_t i = 0; i < log_y.size(); i++) {
    const double error = std::abs(f.curve.log_value(t.x[i]) - log_y[i]);
    const double expected = i < known ? noise : noise * std::hypot(1, f.error_at(t.x[i]));
    if (!(error < std::max(kExact, kNoiseInDifferences * expected))) return false;
    if (i >= known || known == log_y.size()) *missed += error * error;
  }
  return true;
}

// The next smaller number of scales to fit to after `known`: each from `first` on and each of the few smallest, between
// them as many as there are steps of a third. Every fit goes through all scales.
size_t fewer_scales(size_t known, size_t first) {
  constexpr size_t kEach = 16;
  return known > first || known <= kEach ? known - 1 : std::max(kEach, known - known / 3);
}

}  // namespace

std::optional<FreeFit> find_free_hypothesis(const ScaleTable& t, std::span<const double> values,
                                            std::span<const double> log_y, double noise, size_t first,
                                            std::vector<FittedHypotheses>* hypotheses) {
  const std::span<const double> x = t.x;
  const size_t n = values.size();
  if (n < kUnknowns + 2) return std::nullopt;
  std::optional<FreeFit> best;
  double least = std::numeric_limits<double>::infinity();
  for (const FreeForm form : {FreeForm::kPower, FreeForm::kExponential, FreeForm::kExponentialOfInverse}) {
    std::vector<FreeFit> fitted;  // to all scales, then to fewer
    double missed = 0;
    size_t k = n;
    for (; k >= kUnknowns; k = fewer_scales(k, first)) {
      const std::optional<FreeFit> f = fit_free_form(form, x.first(k), values.first(k));
      if (!f || grows_without_bound(f->curve, t.axis) || !meets_all(*f, t, log_y, k, noise, &missed)) break;
      fitted.push_back(*f);
    }
    if (k >= kUnknowns || !(missed < least)) continue;  // one of them missed a scale
    least = missed;
    best = fitted.front();
    for (k = std::max(first, kUnknowns); k <= n; k++) set_free(fitted[n - k].curve, &(*hypotheses)[k]);
    if (first < kUnknowns && values[0] != values[1]) set_free(free_form_of_two(form, x, values), &(*hypotheses)[first]);
  }
  return best;
}

uint32_t refuted_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y,
                            size_t known, double noise) {
  uint32_t refuted = 0;
  for (size_t i = 0; i < known; i++) {
    const PerHypothesis values = log_values_at_scale(hypotheses, t, i);
    for (size_t l = 0; l < kHypotheses; l++)
      if (std::abs(values[l] - log_y[i]) > kNoiseInDifferences * noise) refuted |= 1U << l;
  }
  return refuted & ~(1U << static_cast<size_t>(Hypothesis::kFree));
}

}  // namespace scalediag::fit
