#include "predict/predictor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/profile/metric_names.h"
#include "core/text/quantities.h"
#include "fit/application/interval_sum.h"
#include "fit/numerics/normal_quantile.h"
#include "predict/anchors.h"
#include "predict/backtest.h"
#include "predict/sources/executed_communication.h"
#include "predict/sources/measured_part.h"
#include "predict/sources/other_replays.h"

namespace scalediag::predict {
namespace {

constexpr const char* kFromCurves = "by the models of what was measured";

// The standard deviation, in logarithms, of what ranks with a core each took relative to ranks that shared cores: for
// seven programs the factors of two profiles hours apart differed by 0.11.
constexpr double kLoneError = 0.08;

void sum_up(Prediction& p, double level) {
  p.run = {fit::sum_of(std::array{p.computation.estimate, p.openmp_waiting.estimate, p.gpu.estimate,
                                  p.communication.estimate, p.waiting.estimate, p.unattributed.estimate},
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
  }
  predictor.errors_ = SourceErrors(*predictor.model_, predictor.evidence_, predictor.measured_);
  for (const Target& target : targets) {
    if (predictor.predictions_.count(target) > 0) continue;
    Prediction prediction = predictor.predict(target);
    if (predictor.failure_) return *predictor.failure_;
    predictor.predictions_.emplace(target, std::move(prediction));
  }
  const Evidence& known = predictor.evidence_;
  predictor.is_more_than_model_ = predictor.simulates() || !known.replayed.empty() || !known.points.empty() ||
                                  predictor.model_->on_given_network() || predictor.has_left_the_model();
  if (predictor.is_more_than_model_) predictor.add_measured_scales();
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
  return scales.size() < 2 ? 0 : predict::steps_beyond(processes, scales.back(), scales[scales.size() - 2]);
}

const SimulatedCommunication* Predictor::measured(const std::vector<double>& values) const {
  if (values.size() != 1) return nullptr;
  const auto found = measured_.find(static_cast<int>(values.front()));
  return found == measured_.end() ? nullptr : &found->second;
}

// For the curve through the targets, which so meets what is predicted there.
void Predictor::add_measured_scales() {
  for (const fit::ConfigurationPoint& c : model_->data().configurations) {
    const Target scale = Target::of(model_->data(), c.at);
    if (predictions_.count(scale) == 0) predictions_.emplace(scale, predict(scale));
  }
  failure_.reset();
}

// Measured scales compute what was measured there, not what their traces have, of which each is of one run.
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
    const fit::Series& computation = model_->data().totals.at(metric::kComputation);
    const double computation_s = fit::mean_at(&computation, {static_cast<double>(ranks)});
    auto simulated = simulated_communication(program->to_simulate(), *evidence_.network, computation_s);
    if (simulated) {
      measured_.emplace(ranks, std::move(simulated.value()));
    } else {
      why_not_simulated_ = simulated.error().message;
    }
  }
}

const TracedProgram* Predictor::program_at(int ranks, std::string& why_not) {
  if (!evidence_.traces) {
    why_not = evidence_.why_no_simulation;
    return nullptr;
  }
  if (evidence_.is_too_long(ranks)) {
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

std::optional<Estimate> Predictor::by_other_replays(const Target& at, const fit::Prediction& curves) const {
  if (evidence_.replayed.empty() || at.values().size() != 1) return std::nullopt;
  std::vector<Anchor> anchors;
  for (const auto& [where, replayed] : evidence_.replayed) {
    // Replays hold the time without a sample, too, which lies between calls of MPI.
    const fit::Prediction there = model_->predict(where.values());
    const double by_model = there.computation_s.value + there.unattributed_s.value;
    if (by_model > 0) anchors.push_back({where.processes(), replayed.mean_s / by_model});
  }
  const Estimate models =
      times(curves.computation_s,
            curves.computation_s.value > 0 ? 1 + curves.unattributed_s.value / curves.computation_s.value : 1);
  return computation_of_other_replays(std::move(anchors), model_->data().scales().back(), at.processes(), models);
}

void Predictor::choose_computation(const Target& at, const fit::Prediction& curves, Prediction& p) {
  const double level = curves.run_s.level;
  std::vector<SourceLine> lines = {errors_.line_of(Component::kComputation, Source::kCurves)};
  lines.back().estimate = curves.computation_s;
  const bool has_traces = evidence_.simulate != Simulate::kNever && evidence_.traces;
  if (has_traces && steps_beyond(at.processes()) > 0) {
    SourceLine& line = lines.emplace_back(errors_.line_of(Component::kComputation, Source::kScaledTrace));
    if (const TracedProgram* program = program_at(at.ranks(), line.why)) {
      const double value = program->computation_s;
      line.estimate = program->interval ? program->interval->mean_s : exactly(value, level);
      // Where the largest trace cannot be made of the smaller ones, what its ranks compute is still predicted.
      if (!line.backtest && program->interval) line.backtest = program->interval->check_error;
    }
  }
  const auto take = [&](Source source, const Estimate& estimate, const std::string& why) {
    const bool is_near = source == Source::kOtherReplays;
    for (SourceLine& line : lines)
      line.why = is_near ? "ranks were replayed at other scales" : "measured at the target by another";
    lines.insert(lines.begin(), {Component::kComputation, source, estimate, {}, true, why});
    p.computation = {estimate, source, why};
  };
  const auto replayed = evidence_.replayed.find(at);
  const auto points = evidence_.points.find(at);
  const auto measured = measured_part(model_->data(), metric::kComputation, at.values(), curves.computation_s);
  if (replayed != evidence_.replayed.end()) {
    p.replayed = replayed->second;
    p.replayed->predicted_s = curves.computation_s.value;
    take(Source::kReplay, replayed_estimate(p.replayed->mean_s, level), "of ranks that were replayed");
  } else if (points != evidence_.points.end()) {
    p.points = points->second;
    p.points->predicted_s = curves.computation_s.value;
    take(Source::kPoints, point_estimate(*p.points, curves.computation_s), "of runs that compute as much");
  } else if (measured) {
    take(Source::kMeasured, *measured, kOfRuns);
  } else if (const auto by_others = by_other_replays(at, curves)) {
    take(Source::kOtherReplays, *by_others, "trends, multiplied by what replayed ranks took of them at other scales");
  } else if (const auto chosen = choose(lines, steps_beyond(at.processes()))) {
    p.computation = chosen->part;
    p.disagreement = chosen->disagreement;
  } else {
    p.computation = {curves.computation_s, Source::kCurves, kFromCurves};
  }
  const bool is_measured = p.replayed || p.points || measured || p.computation.source == Source::kOtherReplays;
  if (model_->data().lone_factor && !is_measured) {
    p.computation.estimate = widened_by(p.computation.estimate, fit::kNormal90 * kLoneError);
  }
  if (is_measured) {
    for (const SourceLine& line : lines) {
      if (line.taken || !line.estimate || !(line.estimate->value > 0) ||
          !disagree(p.computation.estimate, *line.estimate))
        continue;
      const double apart = std::abs(std::log(line.estimate->value / p.computation.estimate.value));
      if (p.disagreement && apart <= std::abs(std::log(p.disagreement->other_s / p.disagreement->taken_s))) continue;
      p.disagreement = {line.component, p.computation.source, line.source, p.computation.estimate.value,
                        line.estimate->value};
    }
  }
  if (curves.computation_s.value > 0) p.function_factor = p.computation.estimate.value / curves.computation_s.value;
  if (p.replayed || p.points || p.function_factor != 1) {
    p.function_note = "the value is " + core::fixed(p.function_factor, 3) + " times what is predicted, " +
                      (p.replayed                                      ? "as replayed"
                       : p.computation.source == Source::kOtherReplays ? "as replayed at other scales"
                       : p.points                                      ? "as measurable points have it"
                       : measured                                      ? "as measured"
                                  : "so that functions add up to the computation that is taken");
  }
  p.slowest_computation = {times(curves.slowest_computation_s, p.function_factor), p.computation.source, ""};
  if (p.computation.source == Source::kMeasured) {
    const Estimate by_model = p.slowest_computation.estimate;
    const auto slowest = measured_part(model_->data(), metric::kSlowestComputation, at.values(), by_model);
    if (slowest) p.slowest_computation.estimate = *slowest;
  }
  if (p.replayed) {
    p.slowest_computation.estimate.high = std::max(p.slowest_computation.estimate.high, p.replayed->most_s);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.taken > b.taken; });
  p.sources = std::move(lines);
}

Prediction Predictor::predict(const Target& at) {
  const fit::Prediction curves = model_->predict(at.values());
  Prediction p;
  p.at = at;
  choose_computation(at, curves, p);
  add_communication(at, curves, p);
  if (const auto known = evidence_.executed.find(at); known != evidence_.executed.end()) {
    take_executed(known->second, p);
  }
  const auto part = [&](const char* total, const Estimate& by_model) {
    const auto measured = measured_part(model_->data(), total, at.values(), by_model);
    return measured ? Part{*measured, Source::kMeasured, kOfRuns} : Part{by_model, Source::kCurves, kFromCurves};
  };
  p.openmp_waiting = part("openmp_waiting_s", curves.openmp_waiting_s);
  p.gpu = part(metric::kGpu, curves.gpu_s);
  leave_out_communication_of_gpus(at, p);
  p.unattributed = part("unattributed_s", curves.unattributed_s);
  // Time without a sample lies between calls of MPI, all of which replays measured.
  if (p.replayed || p.computation.source == Source::kOtherReplays) {
    p.unattributed = {exactly(0, curves.run_s.level), p.computation.source, "part of computation"};
  }
  p.others = part(metric::kOthers, curves.others_s);
  const auto is_of_model = [](const SourceLine& line) {
    return !line.estimate || line.source == Source::kCurves || line.source == Source::kCosts;
  };
  if (p.function_note.empty() && !errors_.line_of(Component::kCommunication, Source::kCosts).backtest &&
      std::all_of(p.sources.begin(), p.sources.end(), is_of_model)) {
    p.run = {curves.run_s, Source::kCurves, "the sum of its parts"};
    p.total = {curves.total_s, Source::kCurves, "the sum of its parts"};
  } else {
    sum_up(p, curves.run_s.level);
  }
  take_measured_run(at, curves, p);
  return p;
}

// Errors of the parts of one run make up for one another, so that the whole has an interval of its own.
void Predictor::take_measured_run(const Target& at, const fit::Prediction& curves, Prediction& p) const {
  const bool is_waiting_measured = p.waiting.source == Source::kCosts || p.waiting.source == Source::kMeasured;
  if (p.computation.source != Source::kMeasured || p.simulated || model_->on_given_network() || !is_waiting_measured) {
    return;
  }
  if (const auto run = measured_part(model_->data(), metric::kRun, at.values(), curves.run_s)) {
    p.run = {*run, Source::kMeasured, kOfRuns};
  }
  if (const auto total = measured_part(model_->data(), "total_s", at.values(), curves.total_s)) {
    p.total = {*total, Source::kMeasured, kOfRuns};
  }
}

// A scaled trace may change the computation where nothing is simulated.
bool Predictor::has_left_the_model() const {
  constexpr double kSame = 0.01;
  const std::vector<double> scales = model_->data().scales();
  return std::ranges::any_of(predictions_, [&](const auto& of) {
    const double by_model = model_->predict(of.first.values()).run_s.value;
    const bool is_beyond = scales.empty() || of.first.processes() > scales.back();
    return is_beyond && by_model > 0 && std::abs(of.second.run.estimate.value / by_model - 1) > kSame;
  });
}

Prediction Predictor::by_model(const Target& at) const {
  const fit::Prediction curves = model_->predict(at.values());
  const auto part = [](const Estimate& e) { return Part{e, Source::kCurves, kFromCurves}; };
  Prediction p;
  p.at = at;
  p.computation = part(curves.computation_s);
  p.slowest_computation = part(curves.slowest_computation_s);
  p.openmp_waiting = part(curves.openmp_waiting_s);
  p.gpu = part(curves.gpu_s);
  p.communication = part(curves.communication_s);
  p.waiting = part(curves.waiting_s);
  p.unattributed = part(curves.unattributed_s);
  p.others = part(curves.others_s);
  p.run = part(curves.run_s);
  p.total = part(curves.total_s);
  return p;
}

Prediction Predictor::at(const std::vector<double>& values) const {
  const Target at = Target::of(model_->data(), values);
  if (const auto found = predictions_.find(at); found != predictions_.end()) return found->second;
  Prediction p = by_model(at);
  if (!is_more_than_model_) return p;
  std::vector<Anchor> anchors;
  const size_t processes = model_->data().processes;
  const auto is_alike = [&](const std::vector<double>& other) {
    for (size_t i = 0; i < other.size(); ++i) {
      if (i != processes && other[i] != values[i]) return false;
    }
    return true;
  };
  for (const auto& [where, prediction] : predictions_) {
    if (!is_alike(where.values())) continue;
    const double by_model = model_->predict(where.values()).run_s.value;
    const double run_s = prediction.run.estimate.value;
    if (by_model > 0 && run_s > 0) anchors.push_back({where.processes(), run_s / by_model});
  }
  const auto factor = factor_at(std::move(anchors), at.processes());
  if (!factor) return p;
  for (Part* part : {&p.computation, &p.slowest_computation, &p.openmp_waiting, &p.gpu, &p.communication, &p.waiting,
                     &p.unattributed, &p.run}) {
    part->estimate = times(part->estimate, *factor);
    part->why = "in proportion to the targets and scales around it";
  }
  p.total.estimate = fit::sum_of(std::array{p.run.estimate, p.others.estimate}, p.run.estimate.level);
  return p;
}

}  // namespace scalediag::predict
