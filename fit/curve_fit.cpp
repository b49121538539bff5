#include "fit/curve_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fit/normal_quantile.h"
#include "fit/weighted_median.h"

namespace scalediag::fit {
namespace {

// A law with twice the error of another in all of a curve's n origins has 2^(-0.8 n) of its weight; twice the error on
// the average curve of the program counts 2^-2.
constexpr double kOwnEvidence = 0.8;
constexpr double kPoolEvidence = 2;
// Differences of errors below this do not matter to anybody.
constexpr double kErrorFloor = 0.01;
// A factor e: laws that are wrong by more than this are not told apart, and one such error does not outweigh the rest.
constexpr double kErrorCap = 1;
// Origins more than this many scales back say little about the largest ones.
constexpr size_t kOrigins = 8;

// Expected widths (logarithms, relative errors for small ones).
constexpr double kLeastWidth = 0.02;     // repeats of one configuration on another day
constexpr double kUsualError = 0.1;      // per square root of a doubling, before anything is known
constexpr double kUsualErrorWeight = 3;  // as many checked predictions
constexpr double kErrorOffset = 0.005;   // a prediction that hit by chance is not a promise
constexpr double kLargestError = 1.5;
// Until enough errors are known their distribution is that of a normal one this much wider than expected.
constexpr double kUsualRatio = 1.6;
constexpr double kUsualRatioWeight = 20;
// Curves of larger values have more of a say: value^(1/4).
constexpr double kImportance = 0.25;
// Half widths stop here: a factor of 1000.
constexpr double kWidest = 6.9;

using Residuals = std::array<double, kLaws>;

// All laws at one (origin, target).
struct Check {
  size_t known;
  size_t target;
  double doublings;
  Residuals fitted;  // log(predicted / measured)
};

double capped(double r) { return std::min(std::abs(r), kErrorCap); }

struct Combined {
  double center;
  double spread;
};

// The mean over anchors of the weighted medians, and the standard deviation of all laws around it.
Combined combine(const Residuals& fitted, const Residuals& anchors,
                 const std::array<LawWeights, kAnchors.size()>& weights) {
  constexpr double kOutlier = 2;  // spreads count disagreements up to a factor of e^2
  std::array<std::array<Weighted, kLaws>, kAnchors.size()> items;
  double center = 0;
  for (size_t a = 0; a < kAnchors.size(); a++) {
    for (size_t l = 0; l < kLaws; l++) items[a][l] = {fitted[l] + kAnchors[a] * anchors[l], weights[a][l]};
    center += weighted_quantile(items[a], 0.5) / kAnchors.size();
  }
  double squares = 0;
  for (const auto& anchor : items) {
    double weight = 0, sum = 0;
    for (const Weighted& item : anchor) {
      const double d = std::min(std::abs(item.value - center), kOutlier);
      weight += item.weight;
      sum += item.weight * d * d;
    }
    squares += sum / weight / kAnchors.size();
  }
  return {center, std::sqrt(squares)};
}

double root_doublings(double doublings) {
  // Between or at measured scales there is still the error of a quarter doubling.
  return std::sqrt(std::max(doublings, 0.25));
}

double scaled_error(const Checked& c) {
  return std::log(std::min(std::abs(c.error), kLargestError) / root_doublings(c.doublings) + kErrorOffset);
}

// The curve's typical error from checks with a target below `known` scales, drawn towards the program's.
double typical_error(const std::vector<Checked>& checked, size_t known, double pool) {
  double sum = kUsualErrorWeight * std::log(pool);
  double weight = kUsualErrorWeight;
  for (const Checked& c : checked)
    if (c.target < known) {
      sum += scaled_error(c);
      weight += 1;
    }
  return std::exp(sum / weight);
}

double expected_width(double typical, double doublings, double spread) {
  const double own = typical * root_doublings(doublings);
  return std::sqrt(spread * spread + own * own + kLeastWidth * kLeastWidth);
}

}  // namespace

class CurveFitter {
 public:
  CurveFitter(std::vector<Curve> curves, double level) : level_(level) {
    work_.reserve(curves.size());
    for (Curve& curve : curves) prepare(std::move(curve));
  }

  std::vector<CurveFit> run() {
    pool_scores();
    for (Work& w : work_) predict_known(w);
    pool_errors();
    std::vector<CurveFit> fits;
    fits.reserve(work_.size());
    for (Work& w : work_) fits.push_back(std::move(w.fit));
    return fits;
  }

 private:
  struct Work {
    CurveFit fit;
    std::vector<Check> checks;       // by rising known, then target
    std::vector<Residuals> anchors;  // [known]: log(measured / fitted) at scale known - 1
  };
  using Scores = std::array<LawWeights, kAnchors.size()>;

  void prepare(Curve curve) {
    Work& w = work_.emplace_back();
    const ScaleTable& t = *curve.scales;
    const size_t n = curve.values.size();
    const std::vector<FittedLaws> laws = fit_laws(t, curve.values, curve.weights);
    std::vector<double> log_y(n);
    for (size_t i = 0; i < n; i++) log_y[i] = std::log(curve.values[i]);
    w.anchors.resize(n + 1);
    const size_t first = std::max<size_t>(kScalesForTrend, n > kOrigins ? n - kOrigins : 0);
    for (size_t k = first; k <= n; k++) {
      for (size_t l = 0; l < kLaws; l++)
        w.anchors[k][l] = log_y[k - 1] - laws[k][l].log_value(t.x[k - 1], t.log_x[k - 1]);
      for (size_t j = k; j < n; j++) {
        Check& c = w.checks.emplace_back();
        c.known = k;
        c.target = j;
        c.doublings = (t.log_x[j] - t.log_x[k - 1]) / std::numbers::ln2;
        for (size_t l = 0; l < kLaws; l++) c.fitted[l] = laws[k][l].log_value(t.x[j], t.log_x[j]) - log_y[j];
      }
    }
    w.fit.laws_ = laws[n];
    w.fit.change_ = find_break(t.log_x, log_y);
    if (w.fit.change_ && w.fit.change_->confirmed) {
      std::vector<double> moved = curve.values;
      for (size_t i = 0; i <= w.fit.change_->after; i++) moved[i] *= std::exp(w.fit.change_->log_factor);
      w.fit.laws_ = fit_laws(t, moved, curve.weights)[n];
    }
    w.fit.curve_ = std::move(curve);
  }

  // Logarithms of the laws' errors relative to their prior mean, from targets below `known`; the number of origins
  // behind them, 0 when there is none.
  static size_t own_scores(const Work& w, size_t known, Scores* scores) {
    for (LawWeights& s : *scores) s.fill(0);
    double total = 0;
    for (const Check& c : w.checks) {
      if (c.target >= known) continue;
      const double weight = static_cast<double>(c.known);
      total += weight;
      for (size_t a = 0; a < kAnchors.size(); a++)
        for (size_t l = 0; l < kLaws; l++)
          (*scores)[a][l] += weight * capped(c.fitted[l] + kAnchors[a] * w.anchors[c.known][l]);
    }
    if (total == 0) return 0;
    for (LawWeights& s : *scores) {
      double mean = 0;
      for (size_t l = 0; l < kLaws; l++) {
        s[l] = std::log(s[l] / total + kErrorFloor);
        mean += facts_of(static_cast<Law>(l)).prior * s[l];
      }
      for (double& v : s) v -= mean;
    }
    return known - kScalesForTrend;
  }

  void pool_scores() {
    for (LawWeights& s : pool_) s.fill(0);
    double count = 0;
    Scores own;
    for (const Work& w : work_) {
      if (own_scores(w, w.fit.curve_.values.size(), &own) == 0) continue;
      count += 1;
      for (size_t a = 0; a < kAnchors.size(); a++)
        for (size_t l = 0; l < kLaws; l++) pool_[a][l] += own[a][l];
    }
    if (count == 0) return;
    for (LawWeights& s : pool_)
      for (double& v : s) v /= count;
  }

  std::array<LawWeights, kAnchors.size()> weights(const Work& w, size_t known) const {
    Scores own;
    const double origins = static_cast<double>(own_scores(w, known, &own));
    std::array<LawWeights, kAnchors.size()> weights;
    for (size_t a = 0; a < kAnchors.size(); a++)
      for (size_t l = 0; l < kLaws; l++) {
        const double score = (origins > 0 ? kOwnEvidence * origins * own[a][l] : 0) + kPoolEvidence * pool_[a][l];
        weights[a][l] = facts_of(static_cast<Law>(l)).prior * std::exp(-score);
      }
    return weights;
  }

  // What the ensemble would have said at each origin, with what was known there.
  void predict_known(Work& w) {
    const size_t n = w.fit.curve_.values.size();
    std::array<LawWeights, kAnchors.size()> at_origin{};
    size_t origin = 0;
    LawWeights& errors = w.fit.law_errors_;
    double total = 0;
    for (const Check& c : w.checks) {
      if (c.known != origin) {
        origin = c.known;
        at_origin = weights(w, origin);
      }
      const Combined combined = combine(c.fitted, w.anchors[c.known], at_origin);
      w.fit.checked_.push_back({c.known, c.target, c.doublings, combined.center, combined.spread});
      const double weight = static_cast<double>(c.known);
      total += weight;
      for (size_t l = 0; l < kLaws; l++)
        errors[l] += weight * std::abs(c.fitted[l] + kAnchors[1] * w.anchors[c.known][l]);
    }
    for (double& e : errors) e = total > 0 ? e / total : 0;
    w.fit.weights_ = weights(w, n);
  }

  void pool_errors() {
    double sum = kUsualErrorWeight * std::log(kUsualError);
    double count = kUsualErrorWeight;
    for (const Work& w : work_)
      for (const Checked& c : w.fit.checked_) {
        sum += scaled_error(c);
        count += 1;
      }
    const double pool = std::exp(sum / count);

    std::vector<Weighted> ratios;
    double importance_sum = 0;
    double curves = 0;
    for (Work& w : work_) {
      std::vector<Checked>& checked = w.fit.checked_;
      w.fit.typical_error_ = typical_error(checked, w.fit.curve_.values.size(), pool);
      if (checked.empty()) continue;
      const double importance = std::pow(w.fit.curve_.values.back(), kImportance);
      importance_sum += importance;
      curves += 1;
      size_t known = 0;
      double typical = 0;
      for (const Checked& c : checked) {
        if (c.known != known) {
          known = c.known;
          typical = typical_error(checked, known, pool);
        }
        ratios.push_back({std::abs(c.error) / expected_width(typical, c.doublings, c.spread),
                          importance / static_cast<double>(checked.size())});
      }
    }
    const double usual = (curves > 0 ? importance_sum / curves : 1) * kUsualRatioWeight;
    constexpr int kPieces = 20;
    for (int i = 0; i < kPieces; i++)
      ratios.push_back({kUsualRatio * normal_quantile(0.5 + 0.5 * (i + 0.5) / kPieces), usual / kPieces});
    const double quantile = weighted_quantile(ratios, level_);
    for (Work& w : work_) w.fit.quantile_ = quantile;
  }

  double level_;
  std::vector<Work> work_;
  Scores pool_{};
};

std::vector<CurveFit> fit_curves(std::vector<Curve> curves, double level) {
  return CurveFitter(std::move(curves), level).run();
}

LawWeights CurveFit::shares() const {
  LawWeights shares{};
  for (const LawWeights& anchor : weights_) {
    double total = 0;
    for (const double w : anchor) total += w;
    for (size_t l = 0; l < kLaws; l++) shares[l] += anchor[l] / total / kAnchors.size();
  }
  return shares;
}

// From the laws, which are of the new regime, to the regime at `log_x`.
double CurveFit::step_back(double log_x) const {
  if (!change_ || !change_->confirmed) return 0;
  const double from = curve_.scales->log_x[change_->after];
  const double to = curve_.scales->log_x[change_->after + 1];
  return -change_->log_factor * std::clamp((to - log_x) / (to - from), 0.0, 1.0);
}

CurveFit::Center CurveFit::center(double x) const {
  const ScaleTable& t = *curve_.scales;
  const double log_x = std::log(x);
  Residuals fitted;
  Residuals anchors;
  // Laws are moved by what they miss at the nearest measurements: the last one beyond it, the first one before it, and
  // in proportion between two.
  const size_t above = static_cast<size_t>(std::upper_bound(t.log_x.begin(), t.log_x.end(), log_x) - t.log_x.begin());
  const size_t right = std::min(above, t.log_x.size() - 1);
  const size_t left = above == 0 ? 0 : above - 1;
  const double gap = t.log_x[right] - t.log_x[left];
  const double part = gap > 0 ? (log_x - t.log_x[left]) / gap : 0;
  const double left_log = std::log(curve_.values[left]) - step_back(t.log_x[left]);
  const double right_log = std::log(curve_.values[right]) - step_back(t.log_x[right]);
  const double step = step_back(log_x);
  for (size_t l = 0; l < kLaws; l++) {
    const FittedLaw& law = laws_[l];
    fitted[l] = law.log_value(x, log_x) + step;
    anchors[l] = left_log - law.log_value(t.x[left], t.log_x[left]);
    if (part > 0) anchors[l] += part * (right_log - law.log_value(t.x[right], t.log_x[right]) - anchors[l]);
  }
  const Combined c = combine(fitted, anchors, weights_);
  return {c.center, c.spread};
}

double CurveFit::half_width(double doublings, double spread) const {
  return std::min(quantile_ * expected_width(typical_error_, doublings, spread), kWidest);
}

double CurveFit::log_value(double x) const { return center(x).log_value; }

LogEstimate CurveFit::estimate(double x) const {
  const Center c = center(x);
  const ScaleTable& t = *curve_.scales;
  const double log_x = std::log(x);
  const double beyond = std::max({0.0, log_x - t.log_x.back(), t.log_x.front() - log_x}) / std::numbers::ln2;
  double width = half_width(beyond, c.spread);
  // A metric that changed its regime may return to the old one or change by as much again.
  if (change_ && log_x > t.log_x[change_->after]) width = std::min(std::hypot(width, change_->log_factor), kWidest);
  return {c.log_value, width};
}

double CurveFit::half_width_with(double x, double at) const {
  const double distance = std::max(0.0, std::log2(x / at));
  const double here = std::log2(x / curve_.scales->x.back());
  const double spread = center(x).spread * (here > 0 ? std::sqrt(distance / here) : 1);
  return half_width(distance, spread);
}

}  // namespace scalediag::fit
