#include "predict/source_errors.h"

#include "predict/sources/simulated_scales.h"

namespace scalediag::predict {
namespace {

// From so many scales on, sources are held against two of them.
constexpr size_t kScalesForTwo = 5;

}  // namespace

SourceErrors::SourceErrors(const fit::ApplicationModel& model, const Evidence& evidence,
                           const std::map<int, SimulatedCommunication>& simulated)
    : at_largest_(errors_at(1, model.backtest(), evidence, simulated)) {
  if (model.data().scales().size() < kScalesForTwo) return;
  at_second_ = errors_at(2, model.backtest_before(), evidence, simulated);
}

SourceErrors::Errors SourceErrors::errors_at(size_t which, const fit::ApplicationBacktest& curves,
                                             const Evidence& evidence,
                                             const std::map<int, SimulatedCommunication>& simulated) {
  Errors missed;
  const auto add = [&](Component component, Source source, double predicted, double known) {
    if (known > 0) missed[{component, source}] = {predicted / known - 1, known};
  };
  if (curves.np > 0) {
    add(Component::kComputation, Source::kCurves, curves.predicted_computation_s, curves.measured_computation_s);
  }
  const bool has_traces = evidence.simulate != Simulate::kNever && evidence.traces;
  if (!has_traces || evidence.traces->scales().size() < which + 2) return missed;
  const std::vector<int>& scales = evidence.traces->scales();
  const int ranks = scales[scales.size() - which];
  const auto known = simulated.find(ranks);
  if (known != simulated.end()) {
    const SimulatedCommunication& truth = known->second;
    if (curves.np == ranks) {
      add(Component::kCommunication, Source::kCosts, curves.predicted_communication_s, truth.communication_s);
      add(Component::kWaiting, Source::kCosts, curves.predicted_waiting_s, truth.waiting_s);
    }
    if (const auto communication = communication_of_scales({simulated.begin(), known}, ranks)) {
      add(Component::kCommunication, Source::kSimulatedScales, communication->value, truth.communication_s);
    }
    if (const auto share = waiting_share({simulated.begin(), known}, ranks)) {
      add(Component::kWaiting, Source::kSimulatedScales, share->of_computation.value * truth.computation_s,
          truth.waiting_s);
    }
  }
  if (evidence.is_too_long(ranks)) return missed;
  const auto recorded = evidence.traces->recorded(ranks);
  const auto scaled = evidence.traces->scaled(ranks, scales[scales.size() - which - 1]);
  if (!recorded || !scaled) return missed;
  add(Component::kComputation, Source::kScaledTrace, scaled.value().computation_s, recorded.value().computation_s);
  if (known == simulated.end()) return missed;
  const SimulatedCommunication& truth = known->second;
  const auto again = simulated_communication(scaled.value().to_simulate(), *evidence.network, truth.computation_s);
  if (!again) return missed;
  add(Component::kCommunication, Source::kSimulation, again.value().communication_s, truth.communication_s);
  add(Component::kWaiting, Source::kSimulation, again.value().waiting_s, truth.waiting_s);
  return missed;
}

SourceLine SourceErrors::line_of(Component component, Source source) const {
  SourceLine line;
  line.component = component;
  line.source = source;
  if (const auto found = at_largest_.find({component, source}); found != at_largest_.end()) {
    line.backtest = found->second.relative;
    line.known_s = found->second.known_s;
  }
  if (const auto found = at_second_.find({component, source}); line.backtest && found != at_second_.end()) {
    line.backtest_before = found->second.relative;
  }
  return line;
}

}  // namespace scalediag::predict
