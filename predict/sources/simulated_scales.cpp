#include "predict/sources/simulated_scales.h"

#include <algorithm>
#include <array>
#include <functional>

#include "fit/curves/fit.h"

namespace scalediag::predict {
namespace {

using Seconds = std::function<double(const SimulatedCommunication&)>;

constexpr size_t kFewestScales = 3;

// Seconds / computation at `ranks`. Where all of them are 0, or no model is found, that of the largest scale.
fit::Estimate share_at(const std::map<int, SimulatedCommunication>& measured, double ranks, const Seconds& seconds) {
  fit::Series series{{"np"}, "share", "", {}};
  double last = 0;
  for (const auto& [scale, s] : measured) {
    if (!(s.computation_s > 0)) continue;
    last = seconds(s) / s.computation_s;
    if (last > 0) series.observations.push_back({{static_cast<double>(scale)}, {last}});
  }
  const std::array at = {ranks};
  if (series.observations.size() >= 2) {
    if (const auto model = fit::fit(series)) return model.value().evaluate(at);
  }
  return {last, last, last};
}

}  // namespace

std::optional<fit::Estimate> communication_of_scales(const std::map<int, SimulatedCommunication>& measured,
                                                     double ranks) {
  fit::Series series{{"np"}, "communication_s", "", {}};
  for (const auto& [scale, s] : measured) {
    if (s.communication_s > 0) series.observations.push_back({{static_cast<double>(scale)}, {s.communication_s}});
  }
  if (series.observations.size() < kFewestScales) return std::nullopt;
  const auto model = fit::fit(series);
  if (!model) return std::nullopt;
  return model.value().evaluate(std::array{ranks});
}

std::optional<WaitingShare> waiting_share(const std::map<int, SimulatedCommunication>& measured, double ranks) {
  if (measured.size() < kFewestScales) return std::nullopt;
  const auto share = [&](const Seconds& seconds) { return std::max(0.0, share_at(measured, ranks, seconds).value); };
  WaitingShare waiting;
  waiting.of_computation = share_at(measured, ranks, [](const auto& s) { return s.computation_s + s.waiting_s; });
  fit::Estimate& whole = waiting.of_computation;
  for (double* end : {&whole.value, &whole.low, &whole.high}) *end = std::max(0.0, *end - 1);
  waiting.causes = {share([](const auto& s) { return s.causes.late_sender_s; }),
                    share([](const auto& s) { return s.causes.late_receiver_s; }),
                    share([](const auto& s) { return s.causes.collective_s; }),
                    share([](const auto& s) { return s.causes.pipeline_s; })};
  waiting.imbalance = share([](const auto& s) { return s.imbalance_s; });
  const double all = waiting.causes.sum_s() + waiting.imbalance;
  if (!(all > 0)) return std::nullopt;
  for (double* cause : {&waiting.causes.late_sender_s, &waiting.causes.late_receiver_s, &waiting.causes.collective_s,
                        &waiting.causes.pipeline_s, &waiting.imbalance}) {
    *cause /= all;
  }
  return waiting;
}

}  // namespace scalediag::predict
