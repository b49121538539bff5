#include "loggp/phases/instructions/measurable_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace scalediag::loggp {
namespace {

// Those that have kPointShare of all instructions at the target, most first.
std::vector<const PhaseInstructions*> relevant(const std::vector<PhaseInstructions>& predicted) {
  const auto total = [](const PhaseInstructions* phase) { return phase->mean_at_target * phase->ranks_at_target; };
  std::vector<const PhaseInstructions*> all;
  double sum = 0;
  for (const PhaseInstructions& phase : predicted) {
    all.push_back(&phase);
    sum += total(&phase);
  }
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return total(a) > total(b); });
  double covered = 0;
  size_t n = 0;
  for (; n < all.size() && covered < kPointShare * sum; ++n) covered += total(all[n]);
  all.resize(n);
  return all;
}

// Gives the events of a phase the computation of the same phase's in a run of another input, whose own number of ranks
// says nothing of the target's: of all ranks in the mean, or by their place where both programs have the same grid.
// All of it is multiplied by `factor`.
void take_computation(ScalingModel& model, const ProgramPhase& phase, const ScalingModel& of_run,
                      const ProgramPhase& measured, double factor) {
  const int ranks = of_run.scales.back();
  for (size_t i = 0; i < phase.slots.size() && i < measured.slots.size(); ++i) {
    const Slot& slot = *measured.slots[i];
    const ComputationHypothesis& time = of_run.equations.at(slot.id).before_ns;
    double sum = 0;
    std::vector<ValueSample> samples;
    for (const auto& [where, values] : slot.seen) {
      samples.push_back({where.first, where.second, factor * time.at(ranks, where.second)});
      sum += samples.back().value;
    }
    if (sum <= 0) continue;
    for (ValueSample& sample : samples) {
      if (of_run.grid != model.grid) sample.value = sum / static_cast<double>(samples.size());
    }
    model.equations.at(phase.slots[i]->id).before_ns = ComputationHypothesis::of(samples, model.grid);
  }
}

// Computation of a rank in one execution of a phase, mean over the ranks that execute it; nanoseconds.
double time_of_execution(const ProgramPhase& phase, int ranks) {
  double sum = 0;
  std::set<int> executing;
  for (const Slot* slot : phase.slots) {
    for (auto it = slot->seen.lower_bound({ranks, 0}); it != slot->seen.end() && it->first.first == ranks; ++it) {
      sum += it->second.times * it->second.before_ns;
      executing.insert(it->first.second);
    }
  }
  const auto weight = phase.weight.find(ranks);
  if (executing.empty() || weight == phase.weight.end() || !(weight->second > 0)) return 0;
  return sum / static_cast<double>(executing.size()) / weight->second;
}

// A phase as it was counted and timed in a run.
struct TimedPhase {
  UsedPoint::OtherEnd run;
  double instructions = 0, time_ns = 0;
  double difference = 0;  // of the instructions from those at the target

  double rate() const { return time_ns / instructions; }
  double distance() const { return std::abs(difference); }
};

// The computation of a phase by the runs that it was timed in. Nothing: no point fits, and no two runs enclose it.
std::optional<UsedPoint> computation_by(const std::vector<TimedPhase>& runs, double wanted) {
  const TimedPhase *below = nullptr, *above = nullptr, *closest = nullptr;
  const auto is_closer = [](const TimedPhase& run, const TimedPhase* than) {
    return than == nullptr || run.distance() < than->distance();
  };
  for (const TimedPhase& run : runs) {
    const TimedPhase*& side = run.instructions < wanted ? below : above;
    if (is_closer(run, side)) side = &run;
    if (run.run.run && is_closer(run, closest)) closest = &run;
  }
  if (closest == nullptr) return std::nullopt;
  const bool fits = closest->distance() <= kMostPointDifference;
  UsedPoint used;
  const bool is_enclosed = below != nullptr && above != nullptr && (below->run.run || above->run.run) &&
                           above->instructions <= (1 + kMostPointDifference) * kMostPointDistance * below->instructions;
  if (!is_enclosed) {
    if (!fits) return std::nullopt;
    used.run = *closest->run.run;
    used.difference = closest->difference;
    used.factor = wanted / closest->instructions;
    used.error = closest->distance();
    return used;
  }
  const TimedPhase* taken = is_closer(*below, above) ? below : above;
  if (!taken->run.run) taken = taken == below ? above : below;
  const double along = std::log(wanted / below->instructions) / std::log(above->instructions / below->instructions);
  const double time_ns = below->time_ns * std::pow(above->time_ns / below->time_ns, along);
  const auto miss_of = [&](const TimedPhase& end) { return std::abs(wanted * end.rate() / time_ns - 1); };
  used.run = *taken->run.run;
  used.difference = taken->difference;
  used.other_end = (taken == below ? above : below)->run;
  used.factor = time_ns / taken->time_ns;
  used.error = fits && taken == closest ? std::max(taken->distance(), miss_of(*taken))
                                        : std::max(miss_of(*below), miss_of(*above));
  return used;
}

// The phases of the program itself, as they were counted and timed at its scales.
std::vector<TimedPhase> timed_at_scales(const PhaseInstructions& predicted, const ProgramPhase& phase, double wanted) {
  std::vector<TimedPhase> timed;
  for (const auto& [ranks, counted] : predicted.counted) {
    const double instructions = counted.mean() / counted.weight;
    timed.push_back({{std::nullopt, ranks}, instructions, time_of_execution(phase, ranks), instructions / wanted - 1});
  }
  return timed;
}

// The point of a run with this structure.
MeasurablePoint point_in(const std::vector<PhaseInstructions>& predicted, const ScalingModel& model,
                         const ScalingModel& structure) {
  const std::vector<ProgramPhase> phases = phases_of(model), others = phases_of(structure);
  MeasurablePoint point;
  point.ranks = structure.scales.back();
  const auto counted = counted_phases(others, {point.ranks});
  const std::map<size_t, size_t> same = same_phases(phases, others);
  for (const PhaseInstructions* phase : relevant(predicted)) {
    PointPhase made;
    made.phase = phase->phase;
    made.wanted = phase->mean_at_target / phase->target_weight;
    const auto other = same.find(static_cast<size_t>(phase->phase) - 1);
    if (other != same.end() && counted[other->second].count(point.ranks) > 0) {
      const CountedPhase& found = counted[other->second].at(point.ranks);
      made.is_there = true;
      made.counted = found.mean() / found.weight;
      made.difference = made.wanted > 0 ? made.counted / made.wanted - 1 : 0;
    }
    point.phases.push_back(made);
  }
  return point;
}

}  // namespace

bool MeasurablePoint::fits() const { return !phases.empty() && std::abs(worst()) <= kMostPointDifference; }

double MeasurablePoint::worst() const {
  double most = 0;
  for (const PointPhase& phase : phases) {
    if (!phase.is_there) return std::numeric_limits<double>::infinity();
    if (std::abs(phase.difference) > std::abs(most)) most = phase.difference;
  }
  return most;
}

core::Result<MeasurablePoint> point_of(const std::vector<PhaseInstructions>& predicted, const ScalingModel& model,
                                       const std::vector<RankTrace>& run) {
  const auto structure = structure_of(run);
  if (!structure) return structure.error();
  return point_in(predicted, model, structure.value());
}

bool UsedPoint::is_interpolated() const { return std::abs(difference) > kMostPointDifference; }

core::Result<PointUse> use_points(const std::vector<PhaseInstructions>& predicted, ScalingModel& model,
                                  const std::vector<std::vector<RankTrace>>& runs) {
  struct Run {
    ScalingModel model;
    std::vector<ProgramPhase> phases;
    std::map<size_t, size_t> same;  // the number of the phase by that of the program's
    std::map<int, PointPhase> counted;
  };
  const std::vector<ProgramPhase> phases = phases_of(model);
  std::vector<Run> structures(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    auto structure = structure_of(runs[i]);
    if (!structure) return structure.error();
    Run& run = structures[i];
    run.model = std::move(structure.value());
    run.phases = phases_of(run.model);
    run.same = same_phases(phases, run.phases);
    for (const PointPhase& phase : point_in(predicted, model, run.model).phases) {
      if (phase.is_there) run.counted[phase.phase] = phase;
    }
  }
  double all = 0;
  for (const PhaseInstructions& phase : predicted) all += phase.mean_at_target * phase.ranks_at_target;
  PointUse use;
  for (const PhaseInstructions* phase : relevant(predicted)) {
    const auto index = static_cast<size_t>(phase->phase) - 1;
    const double wanted = phase->mean_at_target / phase->target_weight;
    std::vector<TimedPhase> timed = timed_at_scales(*phase, phases[index], wanted);
    for (size_t i = 0; i < structures.size(); ++i) {
      const Run& run = structures[i];
      const auto found = run.counted.find(phase->phase);
      if (found == run.counted.end()) continue;
      const int ranks = run.model.scales.back();
      timed.push_back({{i, ranks},
                       found->second.counted,
                       time_of_execution(run.phases[run.same.at(index)], ranks),
                       found->second.difference});
    }
    std::erase_if(timed, [](const TimedPhase& one) { return !(one.instructions > 0 && one.time_ns > 0); });
    std::optional<UsedPoint> used = computation_by(timed, wanted);
    if (!used) {
      use.without.push_back(phase->phase);
      continue;
    }
    used->phase = phase->phase;
    if (all > 0) used->share = phase->mean_at_target * phase->ranks_at_target / all;
    const Run& run = structures[used->run];
    take_computation(model, phases[index], run.model, run.phases[run.same.at(index)], used->factor);
    use.used.push_back(*used);
  }
  return use;
}

size_t best_point(const std::vector<MeasurablePoint>& points) {
  size_t best = points.size();
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].fits()) continue;
    const auto order = [&](size_t k) { return std::pair(points[k].ranks, std::abs(points[k].worst())); };
    if (best == points.size() || order(i) < order(best)) best = i;
  }
  return best;
}

}  // namespace scalediag::loggp
