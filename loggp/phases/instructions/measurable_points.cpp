#include "loggp/phases/instructions/measurable_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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
void take_computation(ScalingModel& model, const ProgramPhase& phase, const ScalingModel& of_run,
                      const ProgramPhase& measured) {
  const int ranks = of_run.scales.back();
  for (size_t i = 0; i < phase.slots.size() && i < measured.slots.size(); ++i) {
    const Slot& slot = *measured.slots[i];
    const ComputationHypothesis& time = of_run.equations.at(slot.id).before_ns;
    double sum = 0;
    std::vector<ValueSample> samples;
    for (const auto& [where, values] : slot.seen) {
      samples.push_back({where.first, where.second, time.at(ranks, where.second)});
      sum += samples.back().value;
    }
    if (sum <= 0) continue;
    for (ValueSample& sample : samples) {
      if (of_run.grid != model.grid) sample.value = sum / static_cast<double>(samples.size());
    }
    model.equations.at(phase.slots[i]->id).before_ns = ComputationHypothesis::of(samples, model.grid);
  }
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

core::Result<PointUse> use_points(const std::vector<PhaseInstructions>& predicted, ScalingModel& model,
                                  const std::vector<std::vector<RankTrace>>& runs) {
  double all = 0;
  for (const PhaseInstructions& phase : predicted) all += phase.mean_at_target * phase.ranks_at_target;
  PointUse use;
  std::map<int, UsedPoint> closest;  // by phase
  std::vector<ScalingModel> structures;
  for (size_t run = 0; run < runs.size(); ++run) {
    auto structure = structure_of(runs[run]);
    if (!structure) return structure.error();
    structures.push_back(std::move(structure.value()));
    for (const PointPhase& phase : point_in(predicted, model, structures.back()).phases) {
      if (!phase.is_there || std::abs(phase.difference) > kMostPointDifference) continue;
      const auto [at, is_new] = closest.try_emplace(phase.phase, UsedPoint{phase.phase, run, phase.difference, 0});
      if (!is_new && std::abs(phase.difference) < std::abs(at->second.difference)) {
        at->second = {phase.phase, run, phase.difference, 0};
      }
    }
  }
  const std::vector<ProgramPhase> phases = phases_of(model);
  for (const PhaseInstructions* phase : relevant(predicted)) {
    const auto found = closest.find(phase->phase);
    if (found == closest.end()) {
      use.without.push_back(phase->phase);
      continue;
    }
    UsedPoint used = found->second;
    if (all > 0) used.share = phase->mean_at_target * phase->ranks_at_target / all;
    const ScalingModel& of_run = structures[used.run];
    const std::vector<ProgramPhase> its_phases = phases_of(of_run);
    const auto index = static_cast<size_t>(phase->phase) - 1;
    take_computation(model, phases[index], of_run, its_phases[same_phases(phases, its_phases).at(index)]);
    use.used.push_back(used);
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
