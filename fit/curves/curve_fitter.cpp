#include "fit/curves/curve_fitter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "fit/numerics/normal_quantile.h"
#include "fit/numerics/weighted_median.h"

namespace scalediag::fit {
namespace {

// A hypothesis with twice the error of another in all of a curve's n origins has 2^(-0.8 n) of its weight; twice the
// error on the average curve of the program counts 2^-2.
constexpr double kOwnEvidence = 0.8;
constexpr double kPoolEvidence = 2;
// Differences between errors below this do not matter in practice.
constexpr double kErrorFloor = 0.01;
// A factor e: hypotheses that are wrong by more than this are not told apart, and one such error does not outweigh the
// rest.
constexpr double kErrorCap = 1;
// Origins more than this many scales back say little about the largest ones.
constexpr size_t kOrigins = 8;

// What a value may be off by where no repeats tell.
constexpr double kUnknownNoise = 0.01;

// Expected widths (logarithms, relative errors for small ones).
constexpr double kUsualError = 0.1;      // per square root of a doubling, before anything is known
constexpr double kUsualErrorWeight = 3;  // as many checked predictions
constexpr double kErrorOffset = 0.005;   // a prediction that hit by chance is not a promise
constexpr double kLargestError = 1.5;
// With few known errors, their distribution is taken to be two halves of normal ones, this much wider than expected. Of
// eight predictions that were far off, seven were too low, in strong and in weak scaling: cost grows unexpectedly.
constexpr double kUsualRatioAbove = 2.5;
constexpr double kUsualRatioBelow = 1.2;
constexpr double kUsualRatioWeight = 20;
constexpr double kLeastRatio = 0.25;  // errors to one side do not make the other one certain
// Curves of larger values count more: value^(1/4).
constexpr double kImportance = 0.25;

// All hypotheses at one (origin, target).
struct Check {
  size_t known;
  size_t target;
  double doublings;
  Residuals fitted;  // log(predicted / measured)
};

double capped(double r) { return std::min(std::abs(r), kErrorCap); }

double scaled_error(const Checked& c) {
  return std::log(std::min(std::abs(c.error), kLargestError) / root_doublings(c.doublings) + kErrorOffset);
}

// The largest factor between two neighbouring scales that even the best of the hypotheses leaves unexplained, in
// logarithms.
double step_left_by_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y) {
  Residuals largest{}, before{}, here{};
  for (size_t i = 0; i < log_y.size(); i++) {
    log_values_at_scale(hypotheses, t, i, &here);
    for (size_t l = 0; l < kHypotheses; l++) {
      here[l] -= log_y[i];
      if (i > 0) largest[l] = std::max(largest[l], std::abs(here[l] - before[l]));
    }
    before = here;
  }
  return *std::min_element(largest.begin(), largest.end());
}

}  // namespace

class CurveFitter {
 public:
  CurveFitter(std::vector<Curve> curves, double level, unsigned threads)
      : level_(level), threads_(threads), work_(curves.size()) {
    for (size_t i = 0; i < curves.size(); i++) work_[i].fit.curve_ = std::move(curves[i]);
  }

  std::vector<CurveFit> run() {
    for_each([](Work& w) {
      prepare(w);
      find_own_scores(w);
    });
    pool_scores();
    for_each([this](Work& w) { predict_known(w); });
    pool_errors();
    std::vector<CurveFit> fits(work_.size());
    for_each([&](Work& w) {
      fits[static_cast<size_t>(&w - work_.data())] = std::move(w.fit);
      w = {};  // giving memory back is work too
    });
    return fits;
  }

 private:
  using Scores = AnchoredWeights;
  struct Work {
    CurveFit fit;
    size_t first = 0;                // the smallest number of known scales that is looked at
    std::vector<Check> checks;       // by rising known, then target
    std::vector<Residuals> anchors;  // [known - first]: log(measured / fitted) at scale known - 1
    std::vector<uint32_t> exact;     // [known - first]: the hypotheses that pass through all known points
    bool free = false;               // whether the free hypothesis takes part
    std::vector<uint32_t> refuted;   // [known - first]: where it does, hypotheses that miss a known point
    std::vector<Scores> own;         // [known - first]: see find_own_scores()
    std::vector<double> errors;      // of the checks, see scaled_error()
    size_t first_ratio = 0;          // the place of its checks' ratios among all, see pool_errors()
    double importance = 0;
  };

  template <class Action>
  void for_each(Action action) {
    core::in_parallel(work_.size(), threads_, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++) action(work_[i]);
    });
  }

  static void prepare(Work& w) {
    const Curve& curve = w.fit.curve_;
    const ScaleTable& t = *curve.scales;
    const size_t n = curve.values.size();
    std::vector<double> log_y(n);
    for (size_t i = 0; i < n; i++) log_y[i] = std::log(curve.values[i]);
    if (t.axis == Axis::kProcesses) w.fit.half_factor_of_kinds_ = half_factor_of_kinds(t.log_x, log_y, curve.noise);
    std::vector<double> values = curve.values;
    for (size_t i = 0; i < n; i++) {
      const double of_kind = w.fit.of_kind(t.log_x[i]);
      log_y[i] -= of_kind;
      values[i] *= std::exp(-of_kind);
    }
    w.first = std::max<size_t>(kScalesForTrend, n > kOrigins ? n - kOrigins : 0);
    std::vector<FittedHypotheses> hypotheses = fit_hypotheses(t, values, curve.weights, w.first);
    const bool exact = exact_hypotheses(hypotheses[n], t, log_y, n) != 0;
    if (!exact) w.fit.free_ = find_free_form(curve, values, log_y, w.first, &hypotheses);
    w.free = w.fit.free_.has_value();
    w.refuted.resize(n + 1 - w.first);
    w.anchors.resize(n + 1 - w.first);
    w.exact.resize(n + 1 - w.first);
    w.checks.reserve((n - w.first) * (n + 1 - w.first) / 2);
    for (size_t k = w.first; k <= n; k++) {
      Residuals& anchors = w.anchors[k - w.first];
      log_values_at_scale(hypotheses[k], t, k - 1, &anchors);
      for (double& a : anchors) a = log_y[k - 1] - a;
      w.exact[k - w.first] = exact_hypotheses(hypotheses[k], t, log_y, k);
      if (w.free) w.refuted[k - w.first] = refuted_hypotheses(hypotheses[k], t, log_y, k, noise_of(curve));
      for (size_t j = k; j < n; j++) {
        Check& c = w.checks.emplace_back();
        c.known = k;
        c.target = j;
        c.doublings = (t.log_x[j] - t.log_x[k - 1]) / std::numbers::ln2;
        log_values_at_scale(hypotheses[k], t, j, &c.fitted);
        for (double& f : c.fitted) f -= log_y[j];
      }
    }
    w.fit.hypotheses_ = hypotheses[n];
    find_regime(w, log_y);
    log_values_at_scale(w.fit.hypotheses_, t, n - 1, &w.fit.missed_last_);
    for (double& missed : w.fit.missed_last_) missed = log_y[n - 1] - missed;
    w.fit.exact_ = w.exact.back() != 0;
    if (w.fit.exact_ || !w.free) w.fit.free_.reset();
  }

  // A form of Ding et al. takes part where, from every three known scales and more, it meets all larger ones within the
  // noise, that of what it was fitted to included. Five scales are two more than it has unknowns. Of several the one
  // that misses least.
  static std::optional<FreeFit> find_free_form(const Curve& curve, std::span<const double> values,
                                               std::span<const double> log_y, size_t first,
                                               std::vector<FittedHypotheses>* hypotheses) {
    constexpr size_t kUnknowns = row_of(Hypothesis::kFree).unknowns;
    const ScaleTable& t = *curve.scales;
    const std::span<const double> x = t.x;
    const size_t n = values.size();
    if (n < kUnknowns + 2) return std::nullopt;
    std::optional<FreeFit> best;
    const double noise = noise_of(curve);
    double least = std::numeric_limits<double>::infinity();
    for (const FreeForm form : {FreeForm::kPower, FreeForm::kExponential, FreeForm::kExponentialOfInverse}) {
      std::vector<FreeFit> fitted;  // to all scales, then to fewer, down to three
      double missed = 0;
      for (size_t k = n; k >= kUnknowns; k--) {
        const std::optional<FreeFit> f = fit_free_form(form, x.first(k), values.first(k));
        if (!f || (grows_exponentially(f->curve) && t.axis == Axis::kProcesses) ||
            !meets_all(*f, t, log_y, k, noise, &missed))
          break;
        fitted.push_back(*f);
      }
      if (fitted.size() < n + 1 - kUnknowns || !(missed < least)) continue;
      least = missed;
      best = fitted.front();
      for (size_t k = std::max(first, kUnknowns); k <= n; k++) set_free(fitted[n - k].curve, &(*hypotheses)[k]);
      if (first < kUnknowns && values[0] != values[1])
        set_free(free_form_of_two(form, x, values), &(*hypotheses)[first]);
    }
    return best;
  }

  static void set_free(const FreeCurve& f, FittedHypotheses* hypotheses) {
    (*hypotheses)[static_cast<size_t>(Hypothesis::kFree)] = {
        Hypothesis::kFree, static_cast<uint8_t>(f.form), {f.c, f.a, 0}, f.b, f.b};
  }

  // Along the processes that is beyond any physical bound a doubling later.
  static bool grows_exponentially(const FreeCurve& f) { return f.form == FreeForm::kExponential && f.b > 0; }

  static double noise_of(const Curve& curve) { return curve.noise > 0 ? curve.noise : kUnknownNoise; }

  // Hypotheses that do not even meet the points that they were fitted to, where a form of Ding et al. does.
  static uint32_t refuted_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& t,
                                     std::span<const double> log_y, size_t known, double noise) {
    uint32_t refuted = 0;
    Residuals values;
    for (size_t i = 0; i < known; i++) {
      log_values_at_scale(hypotheses, t, i, &values);
      for (size_t l = 0; l < kHypotheses; l++)
        if (std::abs(values[l] - log_y[i]) > kNoiseInDifferences * noise) refuted |= 1U << l;
    }
    return refuted & ~(1U << static_cast<size_t>(Hypothesis::kFree));
  }

  // Whether the form, fitted to the first `known` scales, meets each scale. Adds up what it misses the others by.
  static bool meets_all(const FreeFit& f, const ScaleTable& t, std::span<const double> log_y, size_t known,
                        double noise, double* missed) {
    for (size_t i = 0; i < log_y.size(); i++) {
      const double error = std::abs(f.curve.log_value(t.x[i]) - log_y[i]);
      const double expected = i < known ? noise : noise * std::hypot(1, f.error_at(t.x[i]));
      if (!(error < std::max(kExact, kNoiseInDifferences * expected))) return false;
      if (i >= known || known == log_y.size()) *missed += error * error;
    }
    return true;
  }

  // A difference that a hypothesis explains better than a straight line with a step is no change of regime.
  static void find_regime(Work& w, std::span<const double> log_y) {
    const ScaleTable& t = *w.fit.curve_.scales;
    const std::optional<Break> found = find_break(t.log_x, log_y);
    if (!found || step_left_by_hypotheses(w.fit.hypotheses_, t, log_y) <= found->largest_other) return;
    w.fit.change_ = found;
    if (!found->confirmed) return;
    const size_t n = log_y.size();
    std::vector<double> log_moved(log_y.begin(), log_y.end());
    for (size_t i = 0; i <= found->after; i++) log_moved[i] += found->log_factor;
    std::vector<double> moved;
    for (const double v : log_moved) moved.push_back(std::exp(v));
    w.fit.hypotheses_ = fit_hypotheses(t, moved, w.fit.curve_.weights, n)[n];
    w.free = false;
    std::fill(w.refuted.begin(), w.refuted.end(), 0);
    // The position of the step and its size were chosen too, which makes two more unknowns.
    w.exact.back() = exact_hypotheses(w.fit.hypotheses_, t, log_moved, n, 2);
  }

  // For every number of known scales, the logarithms of the hypotheses' errors relative to their prior mean, from
  // targets among these scales; 0 where there are none.
  static void find_own_scores(Work& w) {
    const size_t n = w.fit.curve_.values.size();
    std::vector<Scores> by_target(n - w.first);
    for (Scores& scores : by_target) scores = {};
    std::vector<double> totals(n - w.first, 0);
    for (const Check& c : w.checks) {
      // A form of three unknowns says nothing from two scales.
      if (w.free && c.known < static_cast<size_t>(kScalesForCheck)) continue;
      const double weight = static_cast<double>(c.known);
      const Residuals& anchors = w.anchors[c.known - w.first];
      totals[c.target - w.first] += weight;
      Scores& sums = by_target[c.target - w.first];
      for (size_t a = 0; a < kAnchors.size(); a++)
        for (size_t l = 0; l < kHypotheses; l++) sums[a][l] += weight * capped(c.fitted[l] + kAnchors[a] * anchors[l]);
    }
    w.own.resize(n + 1 - w.first);
    Scores sums{};
    double total = 0;
    w.own[0] = {};
    if (w.first == kScalesForTrend) w.own[0] = scores_from_first(w);
    for (size_t k = w.first + 1; k <= n; k++) {
      total += totals[k - 1 - w.first];
      for (size_t a = 0; a < kAnchors.size(); a++) {
        HypothesisWeights& own = w.own[k - w.first][a];
        double mean = 0;
        for (size_t l = 0; l < kHypotheses; l++) {
          sums[a][l] += by_target[k - 1 - w.first][a][l];
          own[l] = total > 0 ? std::log(sums[a][l] / total + kErrorFloor) : 0;
          mean += prior_of(static_cast<Hypothesis>(l), w.fit.curve_.scales->axis) * own[l];
        }
        for (double& v : own) v -= mean;
      }
    }
  }

  // Scores at the first scale of a trend. Two scales check the hypotheses with one unknown, which predict the second
  // from the first. The others get the usual error, except sums of three terms: two points fit these in many ways, some
  // of which turn the trend.
  static Scores scores_from_first(const Work& w) {
    const ScaleTable& t = *w.fit.curve_.scales;
    const double step = t.log_x[1] - t.log_x[0];
    const double rise = std::log(w.fit.curve_.values[1] / w.fit.curve_.values[0]);
    const double usual = std::log(kUsualError * root_doublings(step / std::numbers::ln2) + kErrorFloor);
    constexpr double kNothing = 20;
    Scores scores{};
    for (HypothesisWeights& own : scores) {
      own[static_cast<size_t>(Hypothesis::kLevel)] = std::log(capped(rise) + kErrorFloor) - usual;
      const double ideal = t.axis == Axis::kProcesses ? -step : step;
      for (const Sum& sum : kSums)
        if (sum.columns > 2) own[static_cast<size_t>(sum.hypothesis)] = kNothing;
      own[static_cast<size_t>(Hypothesis::kProportional)] = std::log(capped(rise - ideal) + kErrorFloor) - usual;
    }
    return scores;
  }

  void pool_scores() {
    for (HypothesisWeights& s : pool_) s.fill(0);
    double count = 0;
    for (const Work& w : work_) {
      if (w.checks.empty()) continue;
      count += 1;
      for (size_t a = 0; a < kAnchors.size(); a++)
        for (size_t l = 0; l < kHypotheses; l++) pool_[a][l] += w.own.back()[a][l];
    }
    for (size_t a = 0; a < kAnchors.size(); a++)
      for (size_t l = 0; l < kHypotheses; l++) {
        if (count > 0) pool_[a][l] /= count;
        of_pool_[a][l] = prior_of(static_cast<Hypothesis>(l), work_.front().fit.curve_.scales->axis) *
                         std::exp(-kPoolEvidence * pool_[a][l]);
      }
  }

  // The weight before a curve's own evidence. The free hypothesis, where it takes part, has met more points than the
  // others had to, and begins as the likeliest of them.
  double weight_of(const Work& w, size_t hypothesis, size_t anchor) const {
    if (static_cast<Hypothesis>(hypothesis) != Hypothesis::kFree) return of_pool_[anchor][hypothesis];
    return w.free ? prior_of(Hypothesis::kLevel, w.fit.curve_.scales->axis) : 0;
  }

  Scores weights(const Work& w, size_t known) const {
    if (const uint32_t exact = w.exact[known - w.first]; exact != 0) {
      Scores weights{};
      for (HypothesisWeights& anchor : weights)
        for (size_t l = 0; l < kHypotheses; l++) anchor[l] = (exact >> l & 1U) != 0 ? 1 : 0;
      return weights;
    }
    // The first scale of a trend is not an origin of all hypotheses, but that of those with one unknown.
    const double origins = static_cast<double>(known > kScalesForTrend ? known - kScalesForTrend : 1);
    Scores weights;
    for (size_t a = 0; a < kAnchors.size(); a++)
      for (size_t l = 0; l < kHypotheses; l++)
        weights[a][l] = (w.refuted[known - w.first] >> l & 1U) != 0
                            ? 0
                            : weight_of(w, l, a) * std::exp(-kOwnEvidence * origins * w.own[known - w.first][a][l]);
    return weights;
  }

  // Predictions of the ensemble at each origin, from the scales known there.
  void predict_known(Work& w) const {
    const size_t n = w.fit.curve_.values.size();
    Scores at_origin{};
    Orders orders;
    size_t origin = 0;
    HypothesisWeights& errors = w.fit.hypothesis_errors_;
    double total = 0;
    w.fit.checked_.reserve(w.checks.size());
    w.errors.reserve(w.checks.size());
    for (const Check& c : w.checks) {
      if (c.known != origin) {
        origin = c.known;
        at_origin = weights(w, origin);
      }
      const Residuals& anchors = w.anchors[c.known - w.first];
      const Combined combined = combine(c.fitted, anchors, at_origin, &orders);
      const std::vector<double>& values = w.fit.curve_.values;
      w.fit.checked_.push_back(
          {c.known, c.target, c.doublings, combined.center, combined.spread,
           w.exact[c.known - w.first] != 0 ? 0 : combined.center + std::log(values[c.target] / values[c.known - 1])});
      w.errors.push_back(scaled_error(w.fit.checked_.back()));
      const double weight = static_cast<double>(c.known);
      total += weight;
      for (size_t l = 0; l < kHypotheses; l++) errors[l] += weight * std::abs(c.fitted[l] + kAnchors[1] * anchors[l]);
    }
    for (double& e : errors) e = total > 0 ? e / total : 0;
    w.fit.weights_ = weights(w, n);
  }

  void pool_errors() {
    double sum = kUsualErrorWeight * std::log(kUsualError);
    double count = kUsualErrorWeight;
    for (const Work& w : work_)
      for (const double error : w.errors) {
        sum += error;
        count += 1;
      }
    const double pool = std::exp(sum / count);

    size_t checks = 0;
    for (Work& w : work_) {
      w.first_ratio = checks;
      checks += w.checks.size();
    }
    std::vector<Weighted> ratios;
    ratios.reserve(checks + kPieces);
    ratios.resize(checks);
    for_each([&](Work& w) { find_ratios(w, pool, ratios.data() + w.first_ratio); });
    double importance_sum = 0;
    double curves = 0;
    for (const Work& w : work_) {
      if (w.checks.empty()) continue;
      importance_sum += w.importance;
      curves += 1;
    }
    const double usual = (curves > 0 ? importance_sum / curves : 1) * kUsualRatioWeight;
    for (int i = 0; i < kPieces; i++) {
      const double q = normal_quantile((i + 0.5) / kPieces);
      ratios.push_back({(q > 0 ? kUsualRatioBelow : kUsualRatioAbove) * q, usual / kPieces});
    }
    HalfWidths quantiles;
    quantiles.below = std::max(kLeastRatio, weighted_quantile(ratios, 0.5 + 0.5 * level_));
    quantiles.above = std::max(kLeastRatio, -weighted_quantile(ratios, 0.5 - 0.5 * level_));
    for (Work& w : work_) {
      w.fit.quantiles_ = quantiles;
      w.fit.free_noise_ = normal_quantile(0.5 + 0.5 * level_) * noise_of(w.fit.curve_);
    }
  }

  // A curve's typical error where n scales are known, and of each check error / expected width there. The former is
  // taken from the checks with a target among the known scales, and drawn towards the program's.
  static void find_ratios(Work& w, double pool, Weighted* ratios) {
    const std::vector<Checked>& checked = w.fit.checked_;
    const size_t n = w.fit.curve_.values.size();
    std::vector<double> sums(n, 0), weights(n, 0);  // by target
    for (size_t i = 0; i < checked.size(); i++) {
      sums[checked[i].target] += w.errors[i];
      weights[checked[i].target] += 1;
    }
    w.importance = std::pow(w.fit.curve_.values.back(), kImportance);
    double sum = kUsualErrorWeight * std::log(pool);
    double weight = kUsualErrorWeight;
    size_t target = 0;
    size_t i = 0;
    for (size_t known = 0; known <= n; known++) {
      for (; target < known; target++) {
        sum += sums[target];
        weight += weights[target];
      }
      const double typical = std::exp(sum / weight);
      for (; i < checked.size() && checked[i].known == known; i++) {
        const Checked& c = checked[i];
        const HalfWidths expected = expected_half_widths(typical, c.doublings, c.spread, c.change);
        ratios[i] = {c.error / (c.error > 0 ? expected.below : expected.above),
                     w.importance / static_cast<double>(checked.size())};
      }
      w.fit.typical_error_ = typical;
    }
  }

  // The number of pieces of the usual distribution of errors.
  static constexpr int kPieces = 40;

  double level_;
  unsigned threads_;
  std::vector<Work> work_;
  Scores pool_{};
  Scores of_pool_{};  // weights of the hypotheses from the prior and the program, before a curve's own evidence
};

std::vector<CurveFit> fit_curves(std::vector<Curve> curves, double level, unsigned threads) {
  return CurveFitter(std::move(curves), level, threads).run();
}

}  // namespace scalediag::fit
