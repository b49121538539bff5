#include "fit/curves/curve_fitter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "fit/curves/free_hypothesis.h"
#include "fit/numerics/normal_quantile.h"
#include "fit/numerics/weighted_median.h"

namespace scalediag::fit {
namespace {

// A hypothesis with twice the error of another in all of a curve's n origins has 2^(-0.8 n) of its weight; twice the
// error on the average curve of the program counts 2^-2.
constexpr double kOwnEvidence = 0.8;
constexpr double kPoolEvidence = 2;
// Added to the mean error of a hypothesis: differences between errors below this do not matter in practice.
constexpr double kErrorFloor = 0.01;
// The part of the noise of values that is added to a hypothesis's errors, times its leverage(): few scales hit by
// chance say nothing for a slope that noise explains. All of it made predictions of public measurements 2 % worse, and
// those of scales left out of 9 programs with noise of 5 to 15 % 3 to 7 % better.
constexpr double kNoisePart = 0.7;
// The largest error that is told apart, the logarithm of a factor of e, so that one large error does not outweigh the
// rest.
constexpr double kErrorCap = 1;
// Origins more than this many scales back say little about the largest ones.
constexpr size_t kOrigins = 8;

// The relative standard deviation of a value, where no repeats show it.
constexpr double kUnknownNoise = 0.01;

// The typical error of predictions, a logarithm, per square root of a doubling: before anything is known, and the
// number of checked predictions that it counts as.
constexpr double kUsualError = 0.1;
constexpr double kUsualErrorWeight = 3;
// Added to each error, since a prediction can be right by chance; and the largest error that counts.
constexpr double kErrorOffset = 0.005;
constexpr double kLargestError = 1.5;
// The distribution of errors / expected width before any is known: two halves of normal ones with these standard
// deviations, which count as so many checks of a curve of usual importance. Of eight predictions that were far off,
// seven were too low, in strong and in weak scaling: cost grows unexpectedly.
constexpr double kUsualRatioAbove = 2.5;
constexpr double kUsualRatioBelow = 1.2;
constexpr double kUsualRatioWeight = 20;
// The least quantile of a side, where all errors were to the other side.
constexpr double kLeastRatio = 0.25;
// The weight of a curve's errors is value^(1/4): curves of larger values matter more.
constexpr double kImportance = 0.25;

// The predictions of all hypotheses for one scale, fitted to the `known` smallest ones.
struct Check {
  size_t known;
  size_t target;
  double doublings;
  PerHypothesis errors;  // log(predicted / measured)
};

// One number of known scales.
struct Origin {
  PerHypothesis anchors{};  // log(measured / fitted) at the last of them
  uint32_t exact = 0;       // the hypotheses that pass through all of them
  uint32_t refuted = 0;     // where the free hypothesis takes part, hypotheses that miss one of them
  PerAnchor own{};          // scores of the hypotheses, see find_own_scores()
  double weight = 0;        // of the checks of the last of them
};

// By how much a hypothesis fitted to n scales multiplies the noise of values one step beyond them, as a straight line
// with as many unknowns does (steps are taken to be equal): a slope is turned by it, a level hardly.
double leverage(Hypothesis hypothesis, size_t n) {
  const size_t unknowns = row_of(hypothesis).unknowns;
  const auto scales = static_cast<double>(n);
  if (unknowns < 2) return 1 / std::sqrt(scales);
  const double beyond = (scales + 1) / 2;  // from the middle
  const double line = 1 / scales + beyond * beyond * 12 / (scales * (scales * scales - 1));
  return std::sqrt(line) * static_cast<double>(unknowns - 1);
}

double capped(double r) { return std::min(std::abs(r), kErrorCap); }

double scaled_error(const Checked& c) {
  return std::log(std::min(std::abs(c.error), kLargestError) / root_doublings(c.doublings) + kErrorOffset);
}

// log(fitted / measured) of each hypothesis.
PerHypothesis log_errors(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y,
                         size_t scale) {
  PerHypothesis errors = log_values_at_scale(hypotheses, t, scale);
  for (double& e : errors) e -= log_y[scale];
  return errors;
}

// By how much each hypothesis has to be moved to run through the point: log(measured / fitted).
PerHypothesis anchors_at(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y,
                         size_t scale) {
  PerHypothesis anchors = log_errors(hypotheses, t, log_y, scale);
  for (double& a : anchors) a = -a;
  return anchors;
}

// The largest factor between two neighbouring scales that even the best of the hypotheses leaves unexplained, in
// logarithms.
double step_left_by_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y) {
  PerHypothesis largest{}, before{};
  for (size_t i = 0; i < log_y.size(); i++) {
    const PerHypothesis here = log_errors(hypotheses, t, log_y, i);
    for (size_t l = 0; l < kHypotheses && i > 0; l++) largest[l] = std::max(largest[l], std::abs(here[l] - before[l]));
    before = here;
  }
  return *std::ranges::min_element(largest);
}

double noise_of(const Curve& curve) { return curve.noise > 0 ? curve.noise : kUnknownNoise; }

}  // namespace

class CurveFitter {
 public:
  CurveFitter(std::vector<Curve> curves, double level, ModelSet models, unsigned threads)
      : level_(level), models_(models), threads_(threads), work_(curves.size()) {
    for (size_t i = 0; i < curves.size(); i++) work_[i].fit.curve_ = std::move(curves[i]);
  }

  std::vector<CurveFit> run() {
    for_each([this](Work& w) {
      prepare(w, models_);
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
  struct Work {
    CurveFit fit;
    size_t first = 0;              // the smallest number of known scales that is looked at
    std::vector<Origin> origins;   // [known - first]
    std::vector<Check> checks;     // by rising known, then target
    bool free = false;             // whether the free hypothesis takes part
    std::vector<double> errors;    // of the checks, see scaled_error()
    std::vector<Weighted> ratios;  // of the checks, see find_ratios()
    double importance = 0;         // the weight of all ratios

    Origin& at(size_t known) { return origins[known - first]; }
    const Origin& at(size_t known) const { return origins[known - first]; }
  };

  void for_each(auto action) {
    core::in_parallel(work_.size(), threads_, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; i++) action(work_[i]);
    });
  }

  static void prepare(Work& w, ModelSet models) {
    const bool ensemble = models == ModelSet::kEnsemble;
    const Curve& curve = w.fit.curve_;
    const ScaleTable& t = *curve.scales;
    const size_t n = curve.values.size();
    std::vector<double> log_y;
    for (const double v : curve.values) log_y.push_back(std::log(v));
    if (ensemble && t.axis == Axis::kProcesses)
      w.fit.half_factor_of_kinds_ = half_factor_of_kinds(t.log_x, log_y, curve.noise);
    std::vector<double> values = curve.values;
    for (size_t i = 0; i < n; i++) {
      const double of_kind = w.fit.of_kind(t.log_x[i]);
      log_y[i] -= of_kind;
      values[i] *= std::exp(-of_kind);
    }
    w.first = std::max<size_t>(kScalesForTrend, n > kOrigins ? n - kOrigins : 0);
    std::vector<FittedHypotheses> hypotheses = fit_hypotheses(t, values, curve.weights, w.first);
    if (ensemble && exact_hypotheses(hypotheses[n], t, log_y, n, curve.accuracy) == 0)
      w.fit.free_ = find_free_hypothesis(t, values, log_y, noise_of(curve), w.first, &hypotheses);
    w.free = w.fit.free_.has_value();
    check(w, hypotheses, log_y);
    w.fit.hypotheses_ = hypotheses[n];
    find_regime(w, log_y);
    if (!ensemble) {
      w.fit.ding_ = ding_models(t, curve.values, curve.weights, n);
      for (Origin& origin : w.origins) origin.exact = 0;
    }
    w.fit.missed_last_ = anchors_at(w.fit.hypotheses_, t, log_y, n - 1);
    w.fit.exact_ = w.at(n).exact != 0;
    if (w.fit.exact_ || !w.free) w.fit.free_.reset();
  }

  // Every hypothesis predicts the larger scales from the smaller ones.
  static void check(Work& w, const std::vector<FittedHypotheses>& hypotheses, std::span<const double> log_y) {
    const ScaleTable& t = *w.fit.curve_.scales;
    const size_t n = log_y.size();
    w.origins.resize(n + 1 - w.first);
    w.checks.reserve((n - w.first) * (n + 1 - w.first) / 2);
    for (size_t k = w.first; k <= n; k++) {
      Origin& origin = w.at(k);
      origin.anchors = anchors_at(hypotheses[k], t, log_y, k - 1);
      origin.exact = exact_hypotheses(hypotheses[k], t, log_y, k, w.fit.curve_.accuracy);
      if (w.free) origin.refuted = refuted_hypotheses(hypotheses[k], t, log_y, k, noise_of(w.fit.curve_));
      for (size_t j = k; j < n; j++)
        w.checks.push_back(
            {k, j, (t.log_x[j] - t.log_x[k - 1]) / std::numbers::ln2, log_errors(hypotheses[k], t, log_y, j)});
    }
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
    for (Origin& origin : w.origins) origin.refuted = 0;
    // The position of the step and its size were chosen too, which makes two more unknowns.
    w.at(n).exact = exact_hypotheses(w.fit.hypotheses_, t, log_moved, n, w.fit.curve_.accuracy, 2);
  }

  // Sets Origin::own: the logarithms of the hypotheses' mean errors in predicting known scales, relative to their prior
  // mean; 0 where none of them was predicted.
  static void find_own_scores(Work& w) {
    PerHypothesis by_noise{};
    for (size_t l = 0; l < kHypotheses; l++) {
      by_noise[l] = kNoisePart * w.fit.curve_.noise * leverage(static_cast<Hypothesis>(l), w.fit.curve_.values.size());
    }
    for (const Check& c : w.checks) {
      // A form of three unknowns says nothing from two scales.
      if (w.free && c.known < kScalesForCheck) continue;
      const double weight = static_cast<double>(c.known);
      const PerHypothesis& anchors = w.at(c.known).anchors;
      Origin& next = w.at(c.target + 1);
      next.weight += weight;
      for (size_t a = 0; a < kAnchors.size(); a++)
        for (size_t l = 0; l < kHypotheses; l++)
          next.own[a][l] += weight * capped(c.errors[l] + kAnchors[a] * anchors[l]);
    }
    PerAnchor sums{};
    double total = 0;
    for (Origin& origin : w.origins) {
      total += origin.weight;
      for (size_t a = 0; a < kAnchors.size(); a++) {
        double mean = 0;
        for (size_t l = 0; l < kHypotheses; l++) {
          double& own = origin.own[a][l];
          sums[a][l] += own;
          own = total > 0 ? std::log(std::hypot(sums[a][l] / total, by_noise[l]) + kErrorFloor) : 0;
          mean += prior_of(static_cast<Hypothesis>(l), w.fit.curve_.scales->axis) * own;
        }
        for (double& own : origin.own[a]) own -= mean;
      }
    }
    if (w.first == kScalesForTrend) w.at(w.first).own = scores_from_first(w);
  }

  // The scores at the first scale of a trend. Two scales check the hypotheses with one unknown, which predict the
  // second from the first. The others get the usual error, except sums of three terms: two points fit these in many
  // ways, some of which turn the trend.
  static PerAnchor scores_from_first(const Work& w) {
    const ScaleTable& t = *w.fit.curve_.scales;
    const double step = t.log_x[1] - t.log_x[0];
    const double rise = std::log(w.fit.curve_.values[1] / w.fit.curve_.values[0]);
    const double usual = std::log(kUsualError * root_doublings(step / std::numbers::ln2) + kErrorFloor);
    constexpr double kNothing = 20;
    PerAnchor scores{};
    for (PerHypothesis& own : scores) {
      own[static_cast<size_t>(Hypothesis::kLevel)] = std::log(capped(rise) + kErrorFloor) - usual;
      const double ideal = t.axis == Axis::kProcesses ? -step : step;
      for (const Sum& sum : kSums)
        if (sum.columns > 2) own[static_cast<size_t>(sum.hypothesis)] = kNothing;
      own[static_cast<size_t>(Hypothesis::kProportional)] = std::log(capped(rise - ideal) + kErrorFloor) - usual;
    }
    return scores;
  }

  void pool_scores() {
    PerAnchor pool{};
    double count = 0;
    for (const Work& w : work_) {
      if (w.checks.empty()) continue;
      count += 1;
      for (size_t a = 0; a < kAnchors.size(); a++)
        for (size_t l = 0; l < kHypotheses; l++) pool[a][l] += w.origins.back().own[a][l];
    }
    const Axis axis = work_.front().fit.curve_.scales->axis;
    for (size_t a = 0; a < kAnchors.size(); a++)
      for (size_t l = 0; l < kHypotheses; l++)
        of_pool_[a][l] = prior_of(static_cast<Hypothesis>(l), axis) *
                         std::exp(-kPoolEvidence * (count > 0 ? pool[a][l] / count : 0));
  }

  // The weight before a curve's own evidence. The free hypothesis, where it takes part, has met more points than the
  // others had to, and begins as the likeliest of them.
  double weight_of(const Work& w, size_t hypothesis, size_t anchor) const {
    if (static_cast<Hypothesis>(hypothesis) != Hypothesis::kFree) return of_pool_[anchor][hypothesis];
    return w.free ? prior_of(Hypothesis::kLevel, w.fit.curve_.scales->axis) : 0;
  }

  PerAnchor weights(const Work& w, size_t known) const {
    const Origin& origin = w.at(known);
    // The first scale of a trend is not an origin of all hypotheses, but that of those with one unknown.
    const double origins = static_cast<double>(known > kScalesForTrend ? known - kScalesForTrend : 1);
    const auto is_in = [](uint32_t set, size_t l) { return (set >> l & 1U) != 0; };
    PerAnchor weights{};
    for (size_t a = 0; a < kAnchors.size(); a++) {
      // Only ratios of weights count. The best score is 1, so that hundreds of scales leave no anchor without weight.
      double best = std::numeric_limits<double>::infinity();
      for (size_t l = 0; l < kHypotheses; l++)
        if (!is_in(origin.refuted, l) && weight_of(w, l, a) > 0) best = std::min(best, origin.own[a][l]);
      for (size_t l = 0; l < kHypotheses; l++)
        if (origin.exact != 0)
          weights[a][l] = is_in(origin.exact, l) ? 1 : 0;
        else if (!is_in(origin.refuted, l) && weight_of(w, l, a) > 0)
          weights[a][l] = weight_of(w, l, a) * std::exp(-kOwnEvidence * origins * (origin.own[a][l] - best));
    }
    return weights;
  }

  // Predictions of the ensemble at each origin, from the scales known there.
  void predict_known(Work& w) const {
    const size_t n = w.fit.curve_.values.size();
    PerAnchor at_origin{};
    Orders orders;
    size_t origin = 0;
    std::vector<DingModel> ding;  // at the origin
    const Curve& curve = w.fit.curve_;
    PerHypothesis& errors = w.fit.hypothesis_errors_;
    double total = 0;
    w.fit.checked_.reserve(w.checks.size());
    w.errors.reserve(w.checks.size());
    for (const Check& c : w.checks) {
      if (c.known != origin) {
        origin = c.known;
        at_origin = weights(w, origin);
        if (models_ == ModelSet::kDing2018) ding = ding_models(*curve.scales, curve.values, curve.weights, origin);
      }
      const PerHypothesis& anchors = w.at(c.known).anchors;
      Combined combined = combine(c.errors, anchors, at_origin, &orders);
      const std::vector<double>& values = curve.values;
      if (const auto value = ding_value(ding, curve.scales->x[c.target]))
        combined.move_to(std::log(*value / values[c.target]));
      w.fit.checked_.push_back(
          {c.known, c.target, c.doublings, combined.center, combined.spread,
           w.at(c.known).exact != 0 ? 0 : combined.center + std::log(values[c.target] / values[c.known - 1])});
      w.errors.push_back(scaled_error(w.fit.checked_.back()));
      const double weight = static_cast<double>(c.known);
      total += weight;
      for (size_t l = 0; l < kHypotheses; l++) errors[l] += weight * std::abs(c.errors[l] + kAnchors[1] * anchors[l]);
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
    for_each([pool](Work& w) { find_ratios(w, pool); });
    std::vector<Weighted> ratios;
    double importance_sum = 0;
    double curves = 0;
    for (const Work& w : work_) {
      if (w.checks.empty()) continue;
      ratios.insert(ratios.end(), w.ratios.begin(), w.ratios.end());
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
    const double normal = normal_quantile(0.5 + 0.5 * level_);
    for (Work& w : work_) {
      w.fit.quantiles_ = quantiles;
      w.fit.free_noise_ = normal * noise_of(w.fit.curve_);
    }
  }

  // A curve's typical error where n scales are known, and of each check error / expected width there. The former is
  // taken from the checks with a target among the known scales, and drawn towards the program's.
  static void find_ratios(Work& w, double pool) {
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
        w.ratios.push_back({c.error / (c.error > 0 ? expected.below : expected.above),
                            w.importance / static_cast<double>(checked.size())});
      }
      w.fit.typical_error_ = typical;
    }
  }

  // The number of pieces of the usual distribution of errors.
  static constexpr int kPieces = 40;

  double level_;
  ModelSet models_;
  unsigned threads_;
  std::vector<Work> work_;
  PerAnchor of_pool_{};  // weights of the hypotheses from the prior and the program, before a curve's own evidence
};

std::vector<CurveFit> fit_curves(std::vector<Curve> curves, double level, ModelSet models, unsigned threads) {
  return CurveFitter(std::move(curves), level, models, threads).run();
}

}  // namespace scalediag::fit
