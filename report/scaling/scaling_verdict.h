// The verdict on whether a kernel goes on scaling, and the number of processes from which it does not.
//
// Perfect strong scaling is time ~ P^-1, perfect weak scaling time ~ P^0. A kernel does not scale when its time goes as
// P^e with e above kStrongLimit (kWeakLimit), that is, when doubling the processes reduces it by less than a third
// (increases it by more than a fourteenth). The verdict is given only when the data leave no doubt: when even the lower
// end of the interval at the target, or the measured points themselves with their noise, are above the limit; and only
// where the prediction is above it as well. Measured points are no evidence where the last step speaks against them. A
// kernel scales only when even the upper end is below the limit, and so is the last doubling before the target, and
// when no part of the measured times that stays constant as processes are added (strong scaling: b in a / P + b) is a
// tenth of the time at the target.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fit/curves/model_facts.h"
#include "report/scaling/scaling.h"

namespace scalediag::report {

constexpr double kStrongLimit = -0.6;
constexpr double kWeakLimit = 0.1;
constexpr double limit_of(Scaling scaling) { return scaling == Scaling::kWeak ? kWeakLimit : kStrongLimit; }

// Times of ranks that share caches and memory may grow as this power of the processes while their work stays.
constexpr double kGrowsByTimes = 0.25;

// Two scales are one step, whose trend nothing checks. It is taken to go on for as many processes again, and kernels
// are neither judged nor ranked beyond that.
bool lies_beyond_two_scales(size_t scales, double largest, double target);

struct MeasuredScale {
  double processes = 0;
  double value = 0;           // of the metric, in its own unit; mean over the repeats
  double relative_error = 0;  // standard error that is known beforehand, by samples and repeats; 0: none known
};

// Facts on a kernel beside its points.
struct KnownOfKernel {
  bool counts_stay = false;  // operations that were counted show by themselves that it does not scale
  // The same, and times over all measured scales, without regard to regimes, lean to it: whatever a model says.
  bool counts_decide = false;
  // Measured values are a few draws, which no interval of a model allows for.
  bool only_measured = false;
  // The last scale departs from the trend of the others, which alone is evidence then.
  bool last_departs = false;
  // The exponent that caches and memory which ranks share may add to times: no evidence.
  double slack = 0;
};

struct ScalingVerdict {
  std::optional<bool> scales;  // empty: the data do not decide it
  // d log(value) / d log(processes) between the largest measured scale and the target; of the measured scales where the
  // target does not lie beyond them.
  double exponent = 0;
  std::optional<double> stops_at;  // processes from which doublings gain too little; set where scales is false
  // Where scales is false: the chance that a kernel that just scales is measured like this, at most kLevelOfOne.
  double chance = 0;
};

// The level at which a kernel alone is accused. For a list see chance_allowed().
constexpr double kLevelOfOne = 0.05;

// The chance up to which kernels of a list are accused, so that of these no more than kLevelOfOne are expected to be
// wrong (Benjamini and Hochberg 1995). `chances` are those of all that are accused, `kernels` is the number of all that
// were judged.
double chance_allowed(std::vector<double> chances, size_t kernels);

// `value` and `estimate` give the metric at a number of processes, the other parameters held. `measured` has distinct
// scales, rising, and at least one. Preconditions: target > 0; scaling is kStrong or kWeak.
ScalingVerdict judge_scaling(const std::function<double(double)>& value,
                             const std::function<fit::Estimate(double)>& estimate,
                             std::span<const MeasuredScale> measured, double target, Scaling scaling,
                             const KnownOfKernel& known = {});

// d log(value) / d log(processes) by least squares; `error` is its standard error. Zeros are left out; empty for fewer
// than two points.
struct Slope {
  double exponent = 0;
  double error = 0;
};
std::optional<Slope> slope_of(std::span<const MeasuredScale> measured);

// Log-slope of `value` from `from` to `to` processes; 0 where it is not defined.
double exponent_between(const std::function<double(double)>& value, double from, double to);

}  // namespace scalediag::report
