#include "report/findings/kernel_verdict.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "fit/data/measurement_set.h"
#include "report/scaling/exact_counts.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

using fit::KernelKind;

// Samples a second of a rank, all configurations together; 0: the kernel is not sampled.
double rate_of(const fit::KernelData& kernel) {
  const fit::Series* time = kernel.find(metric::kTime);
  if (kernel.samples <= 0 || time == nullptr) return 0;
  double seconds = 0;
  for (const fit::Observation& o : time->observations) {
    for (const double value : o.values) seconds += value * fit::process_count(o.at);
  }
  return seconds > 0 ? kernel.samples * static_cast<double>(time->observations.size()) / seconds : 0;
}

// The variance of one repeat, relative to its scale's mean, all scales together; 0 without repeats.
double variance_of_repeats(const std::vector<const fit::Observation*>& scales) {
  double squares = 0, degrees = 0;
  for (const fit::Observation* o : scales) {
    if (o->values.size() < 2 || !(core::mean(o->values) > 0)) continue;
    const double n = static_cast<double>(o->values.size());
    squares += std::pow(core::coefficient_of_variation(o->values), 2) * (n - 1);
    degrees += n - 1;
  }
  return degrees > 0 ? squares / degrees : 0;
}

// Calls of the mean rank in a run; 0 where they are not known.
double calls_of_rank(const fit::KernelData& kernel, size_t processes, std::span<const double> at) {
  const fit::Series* calls = kernel.find(metric::kCalls);
  return calls == nullptr ? 0 : measured_at(*calls, at).value_or(0) / at[processes];
}

// Leaves out the scales before a change that is more than the noise of the scales beside it.
void forget_former_regime(const fit::RegimeChange& change, SettledScales& settled) {
  constexpr double kBeyondNoise = 3;
  std::vector<MeasuredScale>& scales = settled.scales;
  const auto first = std::find_if(scales.begin(), scales.end(),
                                  [&](const MeasuredScale& scale) { return scale.processes >= change.before; });
  if (first == scales.begin() || first == scales.end()) return;
  const double noise = std::hypot(first->relative_error, std::prev(first)->relative_error);
  if (std::abs(std::log(change.factor)) <= kBeyondNoise * noise) return;
  settled.last_departs = std::next(first) == scales.end();
  if (!settled.last_departs) scales.erase(scales.begin(), first);
}

}  // namespace

bool ranks_differ(const fit::KernelData& kernel, size_t processes) {
  const fit::Series* time = kernel.kind == KernelKind::kDevice ? &kernel.main_series() : kernel.find(metric::kTime);
  const fit::Series& slowest = kernel.critical_series();
  if (time == nullptr || kernel.slowest_rank || kernel.kind == KernelKind::kMpi) return true;
  std::set<double> scales;
  for (const fit::Observation& o : slowest.observations) scales.insert(o.at[processes]);
  const double second = scales.size() < 2 ? 0 : *std::next(scales.rbegin());
  for (const fit::Observation& o : slowest.observations) {
    if (o.at[processes] < second) continue;
    const double mean = mean_at(time, o.at);
    if (!(*std::min_element(o.values.begin(), o.values.end()) > mean)) return false;
  }
  return true;
}

SettledScales settled_scales(const fit::KernelData& kernel, const fit::Series& series, const fit::Model* model,
                             size_t processes, std::span<const double> at) {
  const std::vector<double> like = largest_configuration(series, processes, at);
  const auto change = model == nullptr ? std::nullopt : model->regime_change();
  std::vector<const fit::Observation*> counted;
  for (const fit::Observation& o : series.observations) {
    if (o.values.empty() || !same_problem(o.at, like, processes)) continue;
    counted.push_back(&o);
  }
  std::sort(counted.begin(), counted.end(),
            [&](const auto* a, const auto* b) { return a->at[processes] < b->at[processes]; });
  const double variance = variance_of_repeats(counted);
  const double rate = fit::is_time_metric(series.metric) ? rate_of(kernel) : 0;
  const bool is_waiting = is_mostly_waiting(kernel, processes, at);
  const bool of_one_rank = &series != kernel.find(metric::kTime);
  SettledScales settled;
  for (const fit::Observation* o : counted) {
    // One rank alone waits for nobody.
    if (is_waiting && o->at[processes] < 2) continue;
    const double n = static_cast<double>(o->values.size()), value = core::mean(o->values);
    const double samples = rate * value * n * (of_one_rank ? 1 : o->at[processes]);
    double error = std::sqrt(std::max(variance / n, rate > 0 ? 1 / std::max(samples, 1.0) : 0));
    // Waits vary by about their length.
    if (is_waiting) error = std::max(error, 1 / std::sqrt(std::max(1.0, n * calls_of_rank(kernel, processes, o->at))));
    settled.scales.push_back({o->at[processes], value, error});
  }
  if (change) forget_former_regime(*change, settled);
  return settled;
}

Slope measured_slope(const fit::KernelModel& kernel, const fit::Series& series, std::span<const double> at) {
  return slope_of(settled_scales(kernel.data(), series, kernel.model(series.metric), 0, at).scales).value_or(Slope{});
}

std::string with_exponent(double exponent) {
  return "P^" + core::fixed(std::abs(exponent) < 0.005 ? 0.0 : exponent, 2);
}

bool is_imbalance(const fit::KernelModel& kernel, std::span<const double> at, double limit) {
  // The least difference of exponents, and the share of the slowest rank's time that counts as most of it.
  constexpr double kImbalanceExponent = 0.2, kMostOfIt = 0.5;
  const fit::KernelData& data = kernel.data();
  if (!ranks_differ(data, 0)) return false;
  const double mean = measured_slope(kernel, data.main_series(), at).exponent;
  const double slowest = measured_slope(kernel, data.critical_series(), at).exponent;
  const std::vector<double> largest(at.begin(), at.end());
  const double beyond_mean = 1 - mean_at(&data.main_series(), largest) / mean_at(&data.critical_series(), largest);
  return slowest - mean > kImbalanceExponent && (mean <= limit || beyond_mean > kMostOfIt);
}

namespace {

// By the slowest rank's times, or by the mean's.
ScalingVerdict verdict_by(bool slowest, const fit::ApplicationData& application, const fit::KernelModel& kernel,
                          std::span<const double> at, Scaling scaling) {
  const size_t processes = application.processes;
  const fit::KernelData& data = kernel.data();
  const fit::Series& series = slowest ? data.critical_series() : data.main_series();
  const fit::Model* model = kernel.model(series.metric);
  if (model == nullptr) model = kernel.model(data.metric);
  SettledScales measured;
  // Points that were measured on another network than the model's are not on its curve.
  if (!kernel.on_given_network()) measured = settled_scales(data, series, model, processes, at);
  std::vector<double> moving(at.begin(), at.end());
  const auto value = [&](double p) {
    moving[processes] = p;
    return slowest ? kernel.critical_value(moving) : kernel.time_value(moving);
  };
  const auto estimate = [&](double p) {
    moving[processes] = p;
    return slowest ? kernel.critical_s(moving) : kernel.time_s(moving);
  };
  KnownOfKernel known;
  known.last_departs = measured.last_departs;
  if (scaling == Scaling::kWeak && application.clock == core::Clock::kCpu && data.kind != KernelKind::kMpi) {
    known.slack = kGrowsByTimes - kWeakLimit;
  }
  known.counts_stay = counts_stay(kernel, processes, at, scaling);
  known.counts_decide = known.counts_stay && times_lean(series, processes, at, scaling);
  known.only_measured = is_mostly_waiting(data, processes, at);
  if (measured.scales.empty()) {
    const double largest = largest_configuration(series, processes, at)[processes];
    measured.scales.push_back({largest, value(largest), 0});
  }
  return judge_scaling(value, estimate, measured.scales, at[processes], scaling, known);
}

}  // namespace

ScalingVerdict kernel_verdict(const fit::ApplicationModel& application, const fit::KernelModel& kernel,
                              std::span<const double> at, Scaling scaling) {
  const fit::ApplicationData& data = application.data();
  if (ranks_differ(kernel.data(), data.processes)) return verdict_by(true, data, kernel, at, scaling);
  ScalingVerdict verdict = verdict_by(false, data, kernel, at, scaling);
  // A rank that may be slower by chance accuses nobody, and clears nobody.
  if (verdict.scales == std::optional(true)) verdict.scales = verdict_by(true, data, kernel, at, scaling).scales;
  if (verdict.scales == std::optional(false) && !verdict.stops_at) verdict.scales.reset();
  return verdict;
}

namespace {

// Of those that are parts of the run, or of those that are not.
void withdraw_weak(bool overlapping, std::vector<KernelFinding>& kernels) {
  std::vector<double> chances;
  size_t judged = 0;
  for (const KernelFinding& kernel : kernels) {
    if (overlaps_run(kernel) != overlapping || !kernel.matters || !kernel.exponent) continue;
    ++judged;
    if (kernel.scales == std::optional(false)) chances.push_back(kernel.chance);
  }
  const double allowed = chance_allowed(std::move(chances), judged);
  for (KernelFinding& kernel : kernels) {
    if (overlaps_run(kernel) != overlapping) continue;
    if (kernel.scales != std::optional(false) || kernel.chance <= allowed) continue;
    kernel.scales.reset();
    kernel.stops_at.reset();
    kernel.work_exponent.reset();
    kernel.cause = Cause::kNone;
    kernel.evidence.clear();
  }
}

}  // namespace

void withdraw_weak_accusations(std::vector<KernelFinding>& kernels) {
  withdraw_weak(false, kernels);
  withdraw_weak(true, kernels);
}

}  // namespace scalediag::report
