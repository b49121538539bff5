// Whether a kernel goes on scaling, and from which number of processes it does not.
//
// Perfect strong scaling is time ~ P^-1, perfect weak scaling time ~ P^0. A kernel is said not to scale when its time
// goes as P^e with e above kStrongLimit (kWeakLimit), that is, when doubling the processes brings it by less than a
// third (costs it more than a fourteenth). It is said so only when the data leave no doubt: when even the lower end of
// the interval at the target, or the measured points themselves with their noise, are above the limit. And it is said
// to scale only when even the upper end is below it, and so is the last doubling before the target, and when no part of
// the measured times stays as processes are added (strong scaling: a / P + b) that is a tenth of it at the target.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "fit/model.h"
#include "report/findings.h"

namespace scalediag::report {

constexpr double kStrongLimit = -0.6;
constexpr double kWeakLimit = 0.1;

struct MeasuredScale {
  double processes = 0;
  double value = 0;           // of the metric, in its own unit; mean over the repeats
  double relative_error = 0;  // standard error known beforehand: 1 / sqrt(samples); 0: none known
};

struct ScalingVerdict {
  std::optional<bool> scales;  // nothing: the data do not decide it
  // d log(value) / d log(processes) between the largest measured scale and the target; of the measured scales where the
  // target does not lie beyond them.
  double exponent = 0;
  std::optional<double> stops_at;  // processes from which doublings bring too little; set where scales is false
};

// `value` and `estimate` give the metric at a number of processes, the other parameters held. `measured` has distinct
// scales, rising, and at least one. Preconditions: target > 0; scaling is kStrong or kWeak.
ScalingVerdict judge_scaling(const std::function<double(double)>& value,
                             const std::function<fit::Estimate(double)>& estimate,
                             std::span<const MeasuredScale> measured, double target, Scaling scaling);

// d log(value) / d log(processes) by least squares; `error` is its standard error. Zeros are left out; fewer than two
// points give nothing.
struct Slope {
  double exponent = 0;
  double error = 0;
};
std::optional<Slope> slope_of(std::span<const MeasuredScale> measured);

// Log-slope of `value` from `from` to `to` processes; 0 where it is not defined.
double exponent_between(const std::function<double(double)>& value, double from, double to);

}  // namespace scalediag::report
