// Communication and waiting of a prediction: the trace that is simulated, or what calls cost.
#include <algorithm>
#include <utility>

#include "core/text/quantities.h"
#include "fit/application/interval_sum.h"
#include "predict/backtest.h"
#include "predict/predictor.h"
#include "predict/sources/measured_part.h"
#include "predict/sources/simulated_scales.h"

namespace scalediag::predict {
namespace {

// Errors at the next scale that are usual of these sources: medians over 11 programs, each scale left out in turn.
constexpr double kUsualSimulationError = 0.1, kUsualCostsError = 0.4, kUsualWaitingError = 0.6;

// Scaled traces of ten programs had so many times less waiting at the largest scale than the recorded ones, in
// the median.
constexpr double kUsualWaitingFactor = 2.3;

// A simulation is as uncertain as the network, and with a scaled trace as at measured scales: the messages are the same
// at any distance.
Estimate of_simulation(const SimulatedCommunication& s, double value, const SourceLine& line, double level) {
  const Estimate e = fit::widened(exactly(value, level), s.relative_error);
  const double usual = line.component == Component::kWaiting ? kUsualWaitingError : kUsualSimulationError;
  return s.known ? widened_by(e, half_width(line, usual, 1)) : e;
}

std::string why_more_waiting(double factor) {
  return factor > 1 ? ", times " + core::fixed(factor, 2) + " since traces of means wait so much less" : "";
}

// What the slowest rank computes, with the interval that is known of it in proportion.
void take_slowest(double seconds, Source source, Prediction& p) {
  const double known_s = p.slowest_computation.estimate.value;
  if (!(known_s > 0 && seconds > 0)) return;
  p.slowest_computation = {times(p.slowest_computation.estimate, seconds / known_s), source, "as waiting"};
}

// Two sources of waiting that their intervals do not allow, where they make up a tenth of what ranks compute.
void note_disagreement(const SourceLine& taken, const SourceLine& other, Prediction& p) {
  constexpr double kTelling = 0.1;
  const double apart = std::abs(taken.estimate->value - other.estimate->value);
  if (p.disagreement || apart < kTelling * p.computation.estimate.value ||
      !disagree(*taken.estimate, *other.estimate)) {
    return;
  }
  p.disagreement = {taken.component, taken.source, other.source, taken.estimate->value, other.estimate->value};
}

}  // namespace

const SimulatedCommunication* Predictor::simulate(const Target& at, Prediction& p, std::string& why_not) {
  if (evidence_.simulate == Simulate::kNever) return nullptr;
  why_not = evidence_.why_no_simulation;
  if (!evidence_.network) return nullptr;
  const auto known = measured_.find(at.ranks());
  if (p.computation.source == Source::kMeasured && known != measured_.end()) {
    p.simulated = known->second;
    ++simulated_targets_;
    return &*p.simulated;
  }
  const bool is_traced = p.replayed && p.replayed->traced;
  const TracedProgram* program = is_traced ? p.replayed->traced.get() : program_at(at.ranks(), why_not);
  if (program == nullptr) return nullptr;
  auto simulated =
      simulated_communication(program->to_simulate(), *evidence_.network, p.computation.estimate.value,
                              program->certainty ? device_factor(*program->program, *model_, at.values()) : 1);
  if (simulated) {
    ++simulated_targets_;
    p.simulated = std::move(simulated.value());
    if (p.simulated->known) {
      const SourceLine line = errors_.line_of(Component::kWaiting, Source::kSimulation);
      stretch_waiting(*p.simulated, waiting_factor(line, kUsualWaitingFactor));
    }
    return &*p.simulated;
  }
  why_not = simulated.error().message;
  if (evidence_.simulate == Simulate::kAlways) {
    failure_ = simulated.error();
    failure_->message =
        "the scaled trace of " + std::to_string(at.ranks()) + " ranks cannot be simulated: " + failure_->message;
    failure_->hint = "record more numbers of ranks, until equations explain all events, or leave --by out";
  }
  return nullptr;
}

void Predictor::add_communication(const Target& at, const fit::Prediction& curves, Prediction& p) {
  const double level = curves.run_s.level;
  const bool asked = evidence_.simulate != Simulate::kNever;
  std::string why_not;
  const SimulatedCommunication* s = simulate(at, p, why_not);
  const std::string how = s == nullptr ? why_not
                          : s->known   ? "the scaled trace, call by call"
                                       : "the trace that was recorded there, call by call";
  // The cost of calls is as uncertain as it was at measured scales, where that is known.
  const SourceLine unseen = errors_.line_of(Component::kCommunication, Source::kCosts);
  const Estimate by_costs =
      unseen.backtest
          ? widened_by(curves.communication_s, half_width(unseen, kUsualCostsError, steps_beyond(at.processes())))
          : curves.communication_s;
  // An operation's calls, bytes and time have one source.
  p.communication = {by_costs, Source::kCosts, "what calls and bytes cost"};
  const auto measured = model_->on_given_network()
                            ? std::nullopt
                            : measured_part(model_->data(), "communication_s", at.values(), curves.communication_s);
  const bool is_measured = s == nullptr && measured && model_->data().clock != core::Clock::kCpu;
  if (s == nullptr && measured) {
    // With the CPU clock it is made of the calls, of which each is as fast as the fastest.
    p.communication = {*measured, is_measured ? Source::kMeasured : Source::kCosts, kOfRuns};
  }
  if (is_measured) {
    p.sources.push_back({Component::kCommunication, Source::kMeasured, *measured, {}, true, kOfRuns});
  }
  if (asked) {
    SourceLine& line = p.sources.emplace_back(errors_.line_of(Component::kCommunication, Source::kSimulation));
    line.why = how;
    if (s != nullptr) {
      take_slowest(s->slowest_computation_s, Source::kSimulation, p);
      line.estimate = of_simulation(*s, s->communication_s, line, level);
      line.taken = true;
      p.communication = {*line.estimate, Source::kSimulation, "the trace"};
    }
  }
  std::vector<SourceLine> lines = {unseen};
  lines.back().estimate = s == nullptr && measured && !is_measured ? *measured : by_costs;
  lines.back().usual_error = kUsualCostsError;
  const auto of_scales =
      asked && s == nullptr && !measured ? communication_of_scales(measured_, at.processes()) : std::nullopt;
  if (of_scales) {
    SourceLine& line = lines.emplace_back(errors_.line_of(Component::kCommunication, Source::kSimulatedScales));
    line.estimate = *of_scales;
    line.usual_error = kUsualSimulationError;
    if (const auto chosen = choose(lines, steps_beyond(at.processes()))) {
      p.communication = chosen->part;
      const double by_calls = curves.communication_s.value;
      if (by_calls > 0) p.operation_factor = chosen->part.estimate.value / by_calls;
    }
  } else {
    lines.back().taken = s == nullptr && !is_measured;
    lines.back().why = lines.back().taken && measured ? kOfRuns : "calls of the mean size";
  }
  p.sources.insert(p.sources.end(), lines.begin(), lines.end());
  add_waiting(at, curves, p, how);
}

void Predictor::add_waiting(const Target& at, const fit::Prediction& curves, Prediction& p, const std::string& how) {
  const SimulatedCommunication* s = p.simulated ? &*p.simulated : nullptr;
  // Waiting goes with the computation.
  Estimate imbalance = times(curves.waiting_s, p.function_factor);
  if (p.replayed) imbalance.high = std::max(imbalance.high, p.replayed->most_s - p.replayed->mean_s);
  const auto waited = p.computation.source == Source::kMeasured
                          ? measured_part(model_->data(), "waiting_s", at.values(), imbalance)
                          : std::nullopt;
  if (waited) imbalance = *waited;
  std::vector<SourceLine> lines;
  if (evidence_.simulate != Simulate::kNever) {
    SourceLine& line = lines.emplace_back(errors_.line_of(Component::kWaiting, Source::kSimulation));
    line.why = how;
    if (s != nullptr) {
      const SourceLine stretched = multiplied(line, s->waiting_factor);
      line.why += why_more_waiting(s->waiting_factor);
      line.estimate = of_simulation(*s, s->waiting_s, stretched, curves.run_s.level);
      // The slowest of ranks that were replayed once may have been slow by chance.
      if (p.replayed && p.replayed->repeats < 2) {
        line.estimate->low = std::min(line.estimate->low, std::max(0.0, s->waiting_s - s->imbalance_s));
      }
    }
  }
  const auto share = waiting_share(measured_, at.processes());
  if (share) {
    SourceLine& line = lines.emplace_back(errors_.line_of(Component::kWaiting, Source::kSimulatedScales));
    const double factor = waiting_factor(line, 1);
    line = multiplied(line, factor);
    line.estimate = times(share->of_computation, factor * p.computation.estimate.value);
    line.why = "as a share of computation, from the simulations of measured scales" + why_more_waiting(factor);
  }
  SourceLine& costs = lines.emplace_back(errors_.line_of(Component::kWaiting, Source::kCosts));
  costs.estimate = imbalance;
  costs.why = waited ? kOfRuns : "the imbalance of computation alone";
  if (s != nullptr) {
    // Waits are part of the simulated operations' times, which would not add up with waiting of another source.
    lines.front().taken = true;
    p.waiting = {*lines.front().estimate, Source::kSimulation, how};
    if (share) {
      lines[1].why = "operations are simulated with their waits";
      if (s->known) note_disagreement(lines.front(), lines[1], p);
    }
  } else if (const auto chosen = waited ? std::nullopt : choose(lines, steps_beyond(at.processes()))) {
    p.waiting = chosen->part;
  } else {
    lines.back().taken = true;
    p.waiting = {imbalance, Source::kCosts, lines.back().why};
  }
  if (p.waiting.source == Source::kSimulation) {
    p.waiting_causes = causes_of(s->causes, s->imbalance_s, p.waiting.estimate);
  } else if (p.waiting.source == Source::kSimulatedScales) {
    const double imbalance_s = share->imbalance * p.waiting.estimate.value;
    take_slowest(p.computation.estimate.value + imbalance_s, Source::kSimulatedScales, p);
    p.waiting_causes = causes_of(share->causes, share->imbalance, p.waiting.estimate);
  }
  p.sources.insert(p.sources.end(), lines.begin(), lines.end());
  std::stable_sort(p.sources.begin(), p.sources.end(), [](const SourceLine& a, const SourceLine& b) {
    return a.component != b.component ? a.component < b.component : a.taken > b.taken;
  });
}

// The time of hosts in calls of GPUs holds the communication of these, which a trace has as operations of its own.
void Predictor::leave_out_communication_of_gpus(const Target& at, Prediction& p) const {
  const double all_s = p.gpu.estimate.value;
  if (!p.simulated || !(p.simulated->device_communication_s > 0) || !(all_s > 0)) return;
  double left_s = p.simulated->device_wait_s;
  for (const fit::KernelModel& kernel : model_->kernels()) {
    if (kernel.data().name.starts_with("[GPU calls] ")) left_s += kernel.time_value(at.values());
  }
  p.gpu = {times(p.gpu.estimate, std::min(1.0, left_s / all_s)), Source::kSimulation,
           "waiting for GPUs in the trace, without their communication"};
}

}  // namespace scalediag::predict
