// Measurable points (Panadero et al. 2018, section 3.3): runs of other inputs on few ranks, whose ranks execute as many
// instructions in each phase as they do on many. What is too large for the caches of few ranks may fit into those of
// many; a point has it fit as well, so that its times are those that a regression cannot know.
#pragma once

#include <optional>
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

// The largest quotient of the instructions of two runs between which a phase is interpolated; these may differ from
// what was meant by kMostPointDifference.
constexpr double kMostPointDistance = 4;

// The run that the computation of a phase was taken from.
struct UsedPoint {
  // The other end of the range that the target lies in: another point, or the program itself at a measured scale.
  struct OtherEnd {
    std::optional<size_t> run;  // the index of the point; nothing: it is the program itself
    int ranks = 0;
  };
  int phase = 1;          // in the order of the program
  size_t run = 0;         // the index of the run
  double difference = 0;  // of its instructions, as PointPhase::difference
  double share = 0;       // of all instructions at the target that the phase has
  std::optional<OtherEnd> other_end;
  double factor = 1;  // by which the computation of `run` is multiplied
  double error = 0;   // of the computation of the phase, relative

  bool is_interpolated() const;  // since `run` has more than kMostPointDifference more or fewer instructions
};

struct PointUse {
  std::vector<UsedPoint> used;
  // Phases with kPointShare of all instructions that no run fits and no two runs enclose.
  std::vector<int> without;
};

// Gives `model`'s phases, of those with relevant instructions, the computation that was measured in `runs`. Events
// before which nothing was computed there keep what they have. With W instructions of a rank in one execution of a
// phase, the time t(W) of the execution is a straight line in logarithms between the closest runs below and above the
// target, where these are at most kMostPointDistance apart. One of them is a point, the other one may be the program
// itself at a measured scale. Beyond the outermost run t(W) / W is that of the run, up to kMostPointDifference.
//
// The error assumes that t / W changes in one direction from one run to the next, as it does where data comes to fit
// into a cache:
//
//   W min(ta / Wa, tb / Wb) <= t(W) <= W max(ta / Wa, tb / Wb)
//
// The error of a phase with a run within kMostPointDifference is that difference instead, or by how much the line
// misses that run where that is more. Error: as of point_of().
core::Result<PointUse> use_points(const std::vector<PhaseInstructions>& predicted, ScalingModel& model,
                                  const std::vector<std::vector<RankTrace>>& runs);

}  // namespace scalediag::loggp
