#include "predict/sources/executed_communication.h"

#include <algorithm>

#include "core/text/quantities.h"
#include "fit/application/interval_sum.h"
#include "predict/backtest.h"

namespace scalediag::predict {
namespace {

void multiply(SimulatedCommunication& s, double factor) {
  for (double* seconds : {&s.communication_s, &s.waiting_s, &s.imbalance_s}) *seconds *= factor;
  s.causes.multiply(factor);
  for (auto& [routine, operation] : s.operations) {
    AwaitedMessages& awaited = operation.awaited;
    for (double* seconds : {&operation.time_s, &awaited.waiting_s, &awaited.late_sender_s, &awaited.late_receiver_s}) {
      *seconds *= factor;
    }
  }
  s.slowest_computation_s = s.computation_s + s.imbalance_s;
  s.total_s = s.computation_s + s.communication_s + s.waiting_s;
}

}  // namespace

void take_executed(const ExecutedMessages& executed, Prediction& p) {
  if (!p.simulated) return;
  const double factor = executed.factor(), messages_s = executed.total_s - executed.computation_s;
  if (!(messages_s > 0)) return;
  // What is missed of the whole run is missed of the part of it that is not computation.
  const double relative = kExecutedError * executed.total_s / messages_s;
  multiply(*p.simulated, factor);
  p.simulated->relative_error = std::max(p.simulated->relative_error, relative);
  const std::string why = "executed by " + std::to_string(executed.processes) +
                          " processes: " + core::times_text(factor) +
                          " what is simulated; not checked, as no run of a measured scale on this network was timed";
  const double communication_s = p.simulated->communication_s, level = p.communication.estimate.level;
  // How long ranks wait is as uncertain as it was: the processes executed the means of computations as well.
  for (const auto& [component, part, known] :
       {std::tuple(Component::kCommunication, &p.communication,
                   Estimate{communication_s, communication_s, communication_s, level}),
        std::tuple(Component::kWaiting, &p.waiting, times(p.waiting.estimate, factor))}) {
    const Estimate estimate = fit::widened(known, relative);
    for (SourceLine& line : p.sources) {
      if (line.component != component || !line.taken) continue;
      line.taken = false;
      line.why = "real processes executed the messages";
      if (!p.disagreement && line.estimate && disagree(*line.estimate, estimate)) {
        p.disagreement = {component, Source::kSynth, line.source, estimate.value, line.estimate->value};
      }
    }
    p.sources.push_back({component, Source::kSynth, estimate, {}, true, why});
    *part = {estimate, Source::kSynth, why};
  }
  for (CauseOfWaiting& cause : p.waiting_causes) cause.estimate = times(cause.estimate, factor);
  std::stable_sort(p.sources.begin(), p.sources.end(), [](const SourceLine& a, const SourceLine& b) {
    return a.component != b.component ? a.component < b.component : a.taken > b.taken;
  });
}

}  // namespace scalediag::predict
