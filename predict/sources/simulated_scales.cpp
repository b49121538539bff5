#include "predict/sources/simulated_scales.h"

#include <algorithm>
#include <array>
#include <functional>

#include "fit/curves/fit.h"

namespace scalediag::predict {
namespace {

using Seconds = std::function<double(const SimulatedCommunication&)>;

constexpr size_t kFewestScales = 3;

// A value over the number of ranks, from the scales at which it is above 0. Nothing: fewer than `fewest`, or no model.
std::optional<fit::Estimate> extrapolated(const std::map<int, SimulatedCommunication>& measured, double ranks,
                                          size_t fewest, const Seconds& value) {
  fit::Series series{{"np"}, "simulated", "", {}};
  for (const auto& [scale, s] : measured) {
    if (value(s) > 0) series.observations.push_back({{static_cast<double>(scale)}, {value(s)}});
  }
  if (series.observations.size() < fewest) return std::nullopt;
  const auto model = fit::fit(series);
  if (!model) return std::nullopt;
  return model.value().evaluate(std::array{ranks});
}

// Seconds / computation at `ranks`. Where all of them are 0, or no model is found, that of the largest scale.
fit::Estimate share_at(const std::map<int, SimulatedCommunication>& measured, double ranks, const Seconds& seconds) {
  const auto share = [&](const SimulatedCommunication& s) {
    return s.computation_s > 0 ? seconds(s) / s.computation_s : 0;
  };
  const double last = share(measured.rbegin()->second);
  return extrapolated(measured, ranks, 2, share).value_or(fit::Estimate{last, last, last});
}

}  // namespace

std::optional<fit::Estimate> communication_of_scales(const std::map<int, SimulatedCommunication>& measured,
                                                     double ranks) {
  return extrapolated(measured, ranks, kFewestScales, [](const auto& s) { return s.communication_s; });
}

std::optional<WaitingShare> waiting_share(const std::map<int, SimulatedCommunication>& measured, double ranks) {
  if (measured.size() < kFewestScales) return std::nullopt;
  const auto share = [&](const Seconds& seconds) { return std::max(0.0, share_at(measured, ranks, seconds).value); };
  WaitingShare waiting;
  waiting.of_computation = share_at(measured, ranks, [](const auto& s) { return s.computation_s + s.waiting_s; });
  fit::Estimate& whole = waiting.of_computation;
  for (double* end : {&whole.value, &whole.low, &whole.high}) *end = std::max(0.0, *end - 1);
  for (const auto cause : loggp::kCausesOfWaiting)
    waiting.causes.*cause = share([cause](const auto& s) { return s.causes.*cause; });
  waiting.imbalance = share([](const auto& s) { return s.imbalance_s; });
  const double all = waiting.causes.sum_s() + waiting.imbalance;
  if (!(all > 0)) return std::nullopt;
  waiting.causes.multiply(1 / all);
  waiting.imbalance /= all;
  return waiting;
}

}  // namespace scalediag::predict
