#include "predict/predictor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text/quantities.h"
#include "fit/application/interval_sum.h"
#include "predict/backtest.h"
#include "predict/sources/simulated_scales.h"

namespace scalediag::predict {
namespace {

// More events are not simulated unasked: this many take about ten seconds.
constexpr double kMostEvents = 2e7;

constexpr const char* kFromCurves = "by the models of what was measured";

Estimate exactly(double value, double level) { return {value, value, value, level}; }

// What these sources miss the next scale by: by the medians over 11 programs, each scale of which was left out in turn.
constexpr double kUsualSimulationError = 0.1, kUsualCostsError = 0.4, kUsualWaitingError = 0.4;

// What is simulated is as uncertain as the network, and where the trace is scaled as it was at the largest scale: its
// messages are the same at any distance.
Estimate of_simulation(const SimulatedCommunication& s, double value, const std::optional<double>& missed, double usual,
                       double level) {
  const Estimate e = fit::widened(exactly(value, level), s.relative_error);
  return s.known ? widened_by(e, half_width(missed, usual, 1)) : e;
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

void sum_up(Prediction& p, double level) {
  p.run = {fit::sum_of(std::array{p.computation.estimate, p.openmp_waiting.estimate, p.communication.estimate,
                                  p.waiting.estimate, p.unattributed.estimate},
                       level),
           p.computation.source, "the sum of its parts"};
  p.total = {fit::sum_of(std::array{p.run.estimate, p.others.estimate}, level), p.computation.source,
             "the sum of its parts"};
}

}  // namespace

core::Result<Predictor> Predictor::of(fit::ApplicationModel model, Evidence evidence,
                                      const std::vector<Target>& targets) {
  Predictor predictor(std::move(model));
  predictor.evidence_ = std::move(evidence);
  if (predictor.evidence_.simulate != Simulate::kNever) {
    predictor.simulate_measured();
    predictor.backtest_scaled_trace();
  }
  for (const Target& target : targets) {
    if (predictor.predictions_.count(target) > 0) continue;
    Prediction prediction = predictor.predict(target);
    if (predictor.failure_) return *predictor.failure_;
    predictor.predictions_.emplace(target, std::move(prediction));
  }
  predictor.programs_.clear();
  return predictor;
}

core::Result<Predictor> Predictor::of(fit::ApplicationData data, const fit::ApplicationOptions& fitting,
                                      Evidence evidence, const std::vector<Target>& targets) {
  auto model = fit::fit_application(std::move(data), fitting);
  if (!model) return model.error();
  return of(std::move(model).value(), std::move(evidence), targets);
}

double Predictor::steps_beyond(double processes) const {
  const std::vector<double> scales = model_->data().scales();
  if (scales.size() < 2 || processes <= scales.back()) return 0;
  return std::log(processes / scales.back()) / std::log(scales.back() / scales[scales.size() - 2]);
}

const SimulatedCommunication* Predictor::measured(const std::vector<double>& values) const {
  if (values.size() != 1) return nullptr;
  const auto found = measured_.find(static_cast<int>(values.front()));
  return found == measured_.end() ? nullptr : &found->second;
}

// Measured scales compute what their traces have.
void Predictor::simulate_measured() {
  if (!evidence_.traces || !evidence_.network) return;
  for (const int ranks : evidence_.traces->scales()) {
    std::string why_not;
    const TracedProgram* program = program_at(ranks, why_not);
    if (program == nullptr) {
      why_not_simulated_ = why_not;
      failure_.reset();  // targets may be simulated all the same
      continue;
    }
    auto simulated = simulated_communication(program->to_simulate(), *evidence_.network, 0);
    if (simulated) {
      measured_.emplace(ranks, std::move(simulated.value()));
    } else {
      why_not_simulated_ = simulated.error().message;
    }
  }
}

// Holds what smaller scales lead to against the trace of the largest one.
void Predictor::backtest_scaled_trace() {
  if (!evidence_.traces || evidence_.traces->scales().size() < 3) return;
  const std::vector<int>& scales = evidence_.traces->scales();
  const int largest = scales.back();
  const auto known = measured_.find(largest);
  const auto missed = [](double predicted, double truth) {
    return truth > 0 ? std::optional(predicted / truth - 1) : std::nullopt;
  };
  const fit::ApplicationBacktest& backtest = model_->backtest();
  if (known != measured_.end()) {
    const SimulatedCommunication& truth = known->second;
    if (backtest.np == largest) {
      costs_error_ = {missed(backtest.predicted_communication_s, truth.communication_s),
                      missed(backtest.predicted_waiting_s, truth.waiting_s)};
    }
    std::map<int, SimulatedCommunication> smaller(measured_.begin(), known);
    if (const auto share = waiting_share(smaller, largest)) {
      simulated_scales_error_.waiting = missed(share->of_computation.value * truth.computation_s, truth.waiting_s);
    }
  }
  if (evidence_.simulate != Simulate::kAlways && evidence_.traces->events_at(largest) > kMostEvents) return;
  const auto recorded = evidence_.traces->recorded(largest);
  const auto scaled = evidence_.traces->scaled(largest, scales[scales.size() - 2]);
  if (!recorded || !scaled) return;
  scaled_trace_error_ = missed(scaled.value().computation_s, recorded.value().computation_s);
  if (known == measured_.end()) return;
  const auto simulated =
      simulated_communication(scaled.value().to_simulate(), *evidence_.network, recorded.value().computation_s);
  if (!simulated) return;
  simulation_error_ = {missed(simulated.value().communication_s, known->second.communication_s),
                       missed(simulated.value().waiting_s, known->second.waiting_s)};
}

const TracedProgram* Predictor::program_at(int ranks, std::string& why_not) {
  if (!evidence_.traces) {
    why_not = evidence_.why_no_simulation;
    return nullptr;
  }
  if (evidence_.simulate != Simulate::kAlways && evidence_.traces->events_at(ranks) > kMostEvents) {
    why_not = "the trace has " + core::fixed(evidence_.traces->events_at(ranks), 0) +
              " events, which would take long: --by simulation asks for it";
    return nullptr;
  }
  const std::vector<int>& scales = evidence_.traces->scales();
  auto found = programs_.find(ranks);
  if (found == programs_.end()) {
    const bool is_recorded = std::binary_search(scales.begin(), scales.end(), ranks);
    found = programs_
                .emplace(ranks, is_recorded ? evidence_.traces->recorded(ranks)
                                            : evidence_.traces->scaled(ranks, scales.back()))
                .first;
  }
  if (found->second) return &found->second.value();
  why_not = found->second.error().message;
  if (evidence_.simulate == Simulate::kAlways) failure_ = found->second.error();
  return nullptr;
}

void Predictor::choose_computation(const Target& at, const fit::Prediction& curves, Prediction& p) {
  const double level = curves.run_s.level;
  std::vector<SourceLine> lines = {{Component::kComputation, Source::kCurves, curves.computation_s, {}, false, ""}};
  if (model_->backtest().np > 0) lines.back().backtest = model_->backtest().computation_error();
  const bool has_traces = evidence_.simulate != Simulate::kNever && evidence_.traces;
  if (has_traces && steps_beyond(at.processes()) > 0) {
    SourceLine& line = lines.emplace_back();
    line.source = Source::kScaledTrace;
    line.backtest = scaled_trace_error_;
    if (const TracedProgram* program = program_at(at.ranks(), line.why)) {
      const double value = program->computation_s;
      line.estimate = program->interval ? program->interval->mean_s : exactly(value, level);
    }
  }
  const auto take = [&](Source source, const Estimate& estimate, const std::string& why) {
    for (SourceLine& line : lines) line.why = "measured at the target by another";
    lines.insert(lines.begin(), {Component::kComputation, source, estimate, {}, true, why});
    p.computation = {estimate, source, why};
  };
  const auto replayed = evidence_.replayed.find(at);
  const auto points = evidence_.points.find(at);
  if (replayed != evidence_.replayed.end()) {
    p.replayed = replayed->second;
    p.replayed->predicted_s = curves.computation_s.value;
    take(Source::kReplay, replayed_estimate(p.replayed->mean_s, level), "of ranks that were replayed");
  } else if (points != evidence_.points.end()) {
    p.points = points->second;
    p.points->predicted_s = curves.computation_s.value;
    take(Source::kPoints, point_estimate(*p.points, curves.computation_s), "of runs that compute as much");
  } else if (const auto chosen = choose(lines, steps_beyond(at.processes()))) {
    p.computation = chosen->part;
    p.disagreement = chosen->disagreement;
  } else {
    p.computation = {curves.computation_s, Source::kCurves, kFromCurves};
  }
  if (p.replayed || p.points) {
    for (const SourceLine& line : lines) {
      if (line.taken || !line.estimate || !disagree(p.computation.estimate, *line.estimate)) continue;
      const double apart = std::abs(std::log(line.estimate->value / p.computation.estimate.value));
      if (p.disagreement && apart <= std::abs(std::log(p.disagreement->other_s / p.disagreement->taken_s))) continue;
      p.disagreement = {line.component, p.computation.source, line.source, p.computation.estimate.value,
                        line.estimate->value};
    }
  }
  if (curves.computation_s.value > 0) p.function_factor = p.computation.estimate.value / curves.computation_s.value;
  if (p.replayed || p.points || p.function_factor != 1) {
    p.function_note = "the value is " + core::fixed(p.function_factor, 3) + " times what is predicted, " +
                      (p.replayed ? "as replayed"
                       : p.points ? "as measurable points have it"
                                  : "so that functions add up to the computation that is taken");
  }
  p.slowest_computation = {times(curves.slowest_computation_s, p.function_factor), p.computation.source, ""};
  if (p.replayed) {
    p.slowest_computation.estimate.high = std::max(p.slowest_computation.estimate.high, p.replayed->most_s);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.taken > b.taken; });
  p.sources = std::move(lines);
}

const SimulatedCommunication* Predictor::simulate(const Target& at, Prediction& p, std::string& why_not) {
  if (evidence_.simulate == Simulate::kNever) return nullptr;
  why_not = evidence_.why_no_simulation;
  if (!evidence_.network) return nullptr;
  const TracedProgram* program = program_at(at.ranks(), why_not);
  if (program == nullptr) return nullptr;
  auto simulated = simulated_communication(program->to_simulate(), *evidence_.network, p.computation.estimate.value);
  if (simulated) {
    ++simulated_targets_;
    p.simulated = std::move(simulated.value());
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
  // What calls cost is as uncertain as it was at the largest scale, where that is known.
  const Estimate costs =
      costs_error_.communication
          ? widened_by(curves.communication_s,
                       half_width(costs_error_.communication, kUsualCostsError, steps_beyond(at.processes())))
          : curves.communication_s;
  // An operation's calls, bytes and time have one source.
  p.communication = {costs, Source::kCosts, "what calls and bytes cost"};
  std::optional<Estimate> communication;
  if (s != nullptr) {
    take_slowest(s->slowest_computation_s, Source::kSimulation, p);
    communication =
        of_simulation(*s, s->communication_s, simulation_error_.communication, kUsualSimulationError, level);
    p.communication = {*communication, Source::kSimulation, "the trace"};
  }
  if (asked) {
    p.sources.push_back({Component::kCommunication, Source::kSimulation, communication, simulation_error_.communication,
                         s != nullptr, how});
  }
  p.sources.push_back({Component::kCommunication, Source::kCosts, costs, costs_error_.communication, s == nullptr,
                       "calls of the mean size"});
  add_waiting(at, curves, p, how);
}

void Predictor::add_waiting(const Target& at, const fit::Prediction& curves, Prediction& p, const std::string& how) {
  const SimulatedCommunication* s = p.simulated ? &*p.simulated : nullptr;
  // Waiting goes with the computation.
  Estimate imbalance = times(curves.waiting_s, p.function_factor);
  if (p.replayed) imbalance.high = std::max(imbalance.high, p.replayed->most_s - p.replayed->mean_s);
  std::vector<SourceLine> lines;
  if (evidence_.simulate != Simulate::kNever) {
    lines.push_back({Component::kWaiting, Source::kSimulation, {}, simulation_error_.waiting, false, how});
    if (s != nullptr) {
      lines.back().estimate =
          of_simulation(*s, s->waiting_s, simulation_error_.waiting, kUsualWaitingError, curves.run_s.level);
    }
  }
  const auto share = waiting_share(measured_, at.processes());
  if (share) {
    lines.push_back({Component::kWaiting, Source::kSimulatedScales,
                     times(share->of_computation, p.computation.estimate.value), simulated_scales_error_.waiting, false,
                     "as a share of computation, from the simulations of measured scales"});
  }
  lines.push_back({Component::kWaiting, Source::kCosts, imbalance, costs_error_.waiting, false,
                   "the imbalance of computation alone"});
  if (s != nullptr) {
    // Waits are part of the simulated operations' times, which would not add up with waiting of another source.
    lines.front().taken = true;
    p.waiting = {*lines.front().estimate, Source::kSimulation, how};
    if (share) {
      lines[1].why = "operations are simulated with their waits";
      if (s->known) note_disagreement(lines.front(), lines[1], p);
    }
  } else if (const auto chosen = choose(lines, steps_beyond(at.processes()))) {
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

Prediction Predictor::predict(const Target& at) {
  const fit::Prediction curves = model_->predict(at.values());
  Prediction p;
  p.at = at;
  choose_computation(at, curves, p);
  add_communication(at, curves, p);
  p.openmp_waiting = {curves.openmp_waiting_s, Source::kCurves, kFromCurves};
  p.unattributed = {curves.unattributed_s, Source::kCurves, kFromCurves};
  p.others = {curves.others_s, Source::kCurves, kFromCurves};
  const auto is_of_model = [](const SourceLine& line) {
    return !line.estimate || line.source == Source::kCurves || line.source == Source::kCosts;
  };
  if (p.function_note.empty() && !costs_error_.communication &&
      std::all_of(p.sources.begin(), p.sources.end(), is_of_model)) {
    p.run = {curves.run_s, Source::kCurves, "the sum of its parts"};
    p.total = {curves.total_s, Source::kCurves, "the sum of its parts"};
  } else {
    sum_up(p, curves.run_s.level);
  }
  return p;
}

Prediction Predictor::by_model(const Target& at) const {
  const fit::Prediction curves = model_->predict(at.values());
  const auto part = [](const Estimate& e) { return Part{e, Source::kCurves, kFromCurves}; };
  Prediction p;
  p.at = at;
  p.computation = part(curves.computation_s);
  p.slowest_computation = part(curves.slowest_computation_s);
  p.openmp_waiting = part(curves.openmp_waiting_s);
  p.communication = part(curves.communication_s);
  p.waiting = part(curves.waiting_s);
  p.unattributed = part(curves.unattributed_s);
  p.others = part(curves.others_s);
  p.run = part(curves.run_s);
  p.total = part(curves.total_s);
  return p;
}

namespace {

// What a part is in proportion to what the model says, at a number of processes.
struct Anchor {
  double processes = 1, run = 1;
};

double between(const Anchor& a, const Anchor& b, double processes) {
  const double share = std::log(processes / a.processes) / std::log(b.processes / a.processes);
  return std::exp((1 - share) * std::log(a.run) + share * std::log(b.run));
}

}  // namespace

Prediction Predictor::at(const std::vector<double>& values) const {
  const Target at = Target::of(model_->data(), values);
  if (const auto found = predictions_.find(at); found != predictions_.end()) return found->second;
  Prediction p = by_model(at);
  if (!simulates() && evidence_.replayed.empty() && evidence_.points.empty()) return p;
  std::vector<Anchor> anchors;
  const auto add = [&](const Target& where, double run_s) {
    const double by_model = model_->predict(where.values()).run_s.value;
    if (by_model > 0 && run_s > 0) anchors.push_back({where.processes(), run_s / by_model});
  };
  const size_t processes = model_->data().processes;
  const auto is_alike = [&](const std::vector<double>& other) {
    for (size_t i = 0; i < other.size(); ++i) {
      if (i != processes && other[i] != values[i]) return false;
    }
    return true;
  };
  for (const fit::ConfigurationPoint& c : model_->data().configurations) {
    const Target where = Target::of(model_->data(), c.at);
    if (!is_alike(c.at) || predictions_.count(where) > 0) continue;
    const SimulatedCommunication* simulated = measured(c.at);
    const double by_model = model_->predict(c.at).run_s.value;
    add(where, simulated != nullptr ? simulated->total_s : by_model);
  }
  for (const auto& [where, prediction] : predictions_) {
    if (is_alike(where.values())) add(where, prediction.run.estimate.value);
  }
  std::sort(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) { return a.processes < b.processes; });
  if (anchors.empty()) return p;
  const auto above = std::find_if(anchors.begin(), anchors.end(),
                                  [&](const Anchor& anchor) { return anchor.processes >= at.processes(); });
  const double factor = above == anchors.end()     ? anchors.back().run
                        : above == anchors.begin() ? above->run
                                                   : between(*(above - 1), *above, at.processes());
  for (Part* part : {&p.computation, &p.slowest_computation, &p.openmp_waiting, &p.communication, &p.waiting,
                     &p.unattributed, &p.run}) {
    part->estimate = times(part->estimate, factor);
    part->why = "in proportion to the targets and scales around it";
  }
  p.total.estimate = fit::sum_of(std::array{p.run.estimate, p.others.estimate}, p.run.estimate.level);
  return p;
}

}  // namespace scalediag::predict
