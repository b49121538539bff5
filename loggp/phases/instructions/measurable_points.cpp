#include "loggp/phases/instructions/measurable_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
  const std::vector<ProgramPhase> phases = phases_of(model), others = phases_of(structure.value());
  MeasurablePoint point;
  point.ranks = structure.value().scales.back();
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
