// An ensemble of hypotheses for curves y(x), fitted together where they come from one program.
//
// For every curve and every hypothesis, with k = 2 ... n-1 scales known, the larger scales are predicted and compared
// (rolling origin). A hypothesis's error on a curve is the mean |log(predicted / measured)|, later origins counting
// more; its score is the logarithm of that, relative to all hypotheses. Weights are prior x exp(-score), where the
// score is the curve's own, growing with the origins behind it, and the mean over all curves: kernels of one program
// share their habits, and few points of one curve cannot tell hypotheses apart. The prediction is the weighted median
// of the hypotheses: one hypothesis that runs away cannot move it.
//
// Every hypothesis is used as fitted, moved to run through the last point, and moved half way there (kAnchors); the
// mean of the three medians is taken. That is the middle between trusting the last measurement and distrusting it, and
// does not have to be chosen from data that are too few to tell.
//
// A hypothesis that passes through all points (Curve::accuracy), of which there are at least two more than it has
// unknowns, is taken to be their source, and then it alone counts.
//
// Intervals are conformal. The same prediction is made at every origin, with what was known there; its error is divided
// by the width that was expected there, and the quantile of these quotients over all curves scales the width at the
// target. The expected width holds the hypotheses' disagreement and the curve's own typical error, which grows with the
// square root of the distance in doublings.
//
// With ModelSet::kDing2018 the value is that of ding_models.h, at every origin too: the best form at the last known
// scale, fitted to all known ones. The ensemble's deviation from it is part of the disagreement. Where no form has a
// positive value, or there are fewer than kScalesForCheck scales, the ensemble's value stands.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fit/curves/ding_models.h"
#include "fit/curves/ensemble.h"
#include "fit/curves/hypotheses.h"
#include "fit/curves/regime.h"
#include "fit/numerics/free_form.h"
#include "fit/numerics/grid_kind.h"

namespace scalediag::fit {

// The models that give an estimate's value.
enum class ModelSet : uint8_t {
  kEnsemble,  // the median of all hypotheses
  kDing2018,  // the form of Ding et al. 2018 that predicts the held-out scale best
};

// Values at rising scales; at least kScalesForTrend of them.
struct Curve {
  std::shared_ptr<const ScaleTable> scales;
  std::vector<double> values;   // positive
  std::vector<double> weights;  // precision of each value, in any unit; 1 where nothing is known
  double noise = 0;             // relative standard deviation of a value; 0 where unknown
  double accuracy = kExact;     // the relative deviation up to which a hypothesis passes through a value
};

// A prediction for a scale that was measured.
struct Checked {
  size_t known = 0;      // scales it was made from
  size_t target = 0;     // index of the scale predicted
  double doublings = 0;  // log2(x[target] / x[known - 1])
  double error = 0;      // log(predicted / measured)
  double spread = 0;     // the hypotheses' disagreement
  double change = 0;     // log(predicted / measured at the last known scale)
};

// The logarithm of a prediction, and its interval.
struct LogEstimate {
  double center = 0;
  HalfWidths half_widths;
};

class CurveFit {
 public:
  const Curve& curve() const { return curve_; }
  const FittedHypotheses& hypotheses() const { return hypotheses_; }
  // Whether the estimate comes from hypotheses that pass through every point, and from no other.
  bool is_exact() const { return exact_; }
  // Shares of the hypotheses, over all anchors; they sum to 1.
  PerHypothesis shares() const;
  // Mean |log(predicted / measured)| of each hypothesis when it was checked; 0 where nothing could be checked.
  const PerHypothesis& hypothesis_errors() const { return hypothesis_errors_; }
  const std::vector<Checked>& checked() const { return checked_; }
  double typical_error() const { return typical_error_; }
  // The change of regime, where the curve stops following its hypothesis. Once later scales confirm it, the hypotheses
  // are fitted to the points before it moved to the new regime, so that the step is not taken for a slope.
  const std::optional<Break>& change() const { return change_; }
  // Half the logarithm of the factor between scales of one kind of process grid and of the other, where values zigzag
  // between two kinds. The hypotheses are then fitted to the curve that both share.
  const std::optional<double>& half_factor_of_kinds() const { return half_factor_of_kinds_; }

  // The forms of Ding et al., the best first, where the value is theirs; else none.
  const std::vector<DingModel>& ding_models() const { return ding_; }

  LogEstimate estimate(double x) const;
  double log_value(double x) const;
  // Half widths of an interval `doublings` away from the known scales, where the hypotheses agree on no change.
  HalfWidths half_widths_after(double doublings) const { return half_widths(doublings, 0, 0); }
  // The half widths at `x` if there were another measurement at `at`.
  HalfWidths half_widths_with(double x, double at) const;

 private:
  friend class CurveFitter;
  Combined combined(double x) const;
  PerHypothesis missed_at(double log_x) const;
  double step_back(double log_x) const;
  double of_kind(double log_x) const;
  HalfWidths half_widths(double doublings, double spread, double change) const;

  Curve curve_;
  FittedHypotheses hypotheses_{};
  std::vector<DingModel> ding_;
  std::optional<Break> change_;
  std::optional<double> half_factor_of_kinds_;
  PerAnchor weights_{};
  PerHypothesis hypothesis_errors_{};
  std::vector<Checked> checked_;
  bool exact_ = false;
  std::optional<FreeFit> free_;  // where the free hypothesis takes part, and is not exact
  double free_noise_ = 0;        // of a value, at the intervals' level
  PerHypothesis missed_last_{};  // log(measured / fitted) of each hypothesis at the largest scale
  double typical_error_ = 0;     // per square root of a doubling
  HalfWidths quantiles_;         // of errors / expected half width, for truths below and above the prediction
};

}  // namespace scalediag::fit
