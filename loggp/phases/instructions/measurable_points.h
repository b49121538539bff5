// Measurable points (Panadero et al. 2018, section 3.3): runs of other inputs on few ranks, whose ranks execute as many
// instructions in each phase as they do on many. What is too large for the caches of few ranks may fit into those of
// many; a point has it fit as well, so that its times are those that a regression cannot know.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/instructions/phase_instructions.h"

namespace scalediag::loggp {

// The largest difference of the instructions of a rank in one execution of a phase, and the share of all instructions
// that the phases have that are looked at.
constexpr double kMostPointDifference = 0.07, kPointShare = 0.95;

struct PointPhase {
  int phase = 1;          // of the prediction
  double wanted = 0;      // instructions of a rank in one execution at the target
  bool is_there = false;  // and was counted in this run
  double counted = 0;     // the same in this run
  double difference = 0;  // of what was counted
};

struct MeasurablePoint {
  int ranks = 0;
  std::vector<PointPhase> phases;  // with most instructions at the target first

  bool fits() const;
  double worst() const;  // the difference that is largest in size; where a phase is not there, infinite
};

// `predicted`: the instructions of `model` at its target. `run`: the traces of all ranks of one run of another input,
// counted. Phases are those with the same routines, in the same order. Error: as of structure_of().
core::Result<MeasurablePoint> point_of(const std::vector<PhaseInstructions>& predicted, const ScalingModel& model,
                                       const std::vector<RankTrace>& run);

// The number of the point with the fewest ranks that fits, of those the closest; points.size() where none does.
size_t best_point(const std::vector<MeasurablePoint>& points);

// The run that the computation of a phase was taken from.
struct UsedPoint {
  int phase = 1;          // in the order of the program
  size_t run = 0;         // which of the runs
  double difference = 0;  // of its instructions, as PointPhase::difference
  double share = 0;       // of all instructions at the target that the phase has
};

struct PointUse {
  std::vector<UsedPoint> used;
  // Phases with kPointShare of all instructions that no run's differ from by at most kMostPointDifference.
  std::vector<int> without;
};

// Gives `model`'s phases the computation that was measured in the run whose instructions differ least and by at most
// kMostPointDifference, of those with relevant instructions. Events before which nothing was computed in that run keep
// what they have. Error: as of point_of().
core::Result<PointUse> use_points(const std::vector<PhaseInstructions>& predicted, ScalingModel& model,
                                  const std::vector<std::vector<RankTrace>>& runs);

}  // namespace scalediag::loggp
