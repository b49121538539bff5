// The computation of ranks at a target as measured by measurable points
// (loggp/phases/instructions/measurable_points.h): runs of other inputs on few ranks, whose ranks execute as many
// instructions in each phase as those at the target.
#pragma once

#include <string>
#include <vector>

#include "fit/curves/model.h"

namespace scalediag::predict {

struct PointComputation {
  std::vector<std::string> runs;  // that phases were taken from: "small.scalediag/np0004.r0"
  std::vector<int> without;       // phases with relevant instructions that no run has; they compute as predicted
  double share = 0;               // of all instructions at the target, of the phases that were taken from runs
  double interpolated = 0;        // the same of those that lie between two runs
  double difference = 0;          // of the instructions of the others, the largest in size
  double mean_s = 0;              // of a rank, CPU time
  double predicted_s = 0;         // the same as it would be predicted
  double relative_error = 0;      // of what was taken: what instructions leave open, or lie between

  // By how much functions are multiplied, so that they add up to the points' computation.
  double factor() const { return predicted_s > 0 ? mean_s / predicted_s : 1; }
};

// Computation that is `points.share` of the instructions as measured, and otherwise as uncertain as `predicted`. What
// was measured alone differs from what it is among many ranks as replays do (replayed_estimate()), besides
// relative_error.
fit::Estimate point_estimate(const PointComputation& points, const fit::Estimate& predicted);

// "computation is that of the measurable point small.scalediag/np0002.r0, ..."
std::string text_of(const PointComputation& points);

}  // namespace scalediag::predict
