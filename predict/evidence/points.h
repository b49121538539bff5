// Measurable points (loggp/phases/instructions/measurable_points.h): runs of other inputs in experiment folders.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/instructions/measurable_points.h"
#include "loggp/phases/scaling_model.h"
#include "predict/evidence/remarks.h"
#include "predict/sources/point_computation.h"

namespace scalediag::predict {

core::Error not_counted(const std::string& folder);  // no instructions were

// A complete run of an experiment with its traces.
struct NamedRun {
  std::string name;  // "small.scalediag/np0004.r0"
  std::vector<loggp::RankTrace> traces;
};
// Whether some rank of some run has counted instructions.
bool are_counted(const std::vector<NamedRun>& runs);

// The complete runs of an experiment folder, one of each configuration.
core::Result<std::vector<NamedRun>> read_runs(const std::string& path, Remarks& remarks);

// The runs of other inputs that phases of a model took their computation from.
struct PointsOfTarget {
  std::vector<loggp::PhaseInstructions> predicted;
  std::vector<std::string> runs;  // names of all runs, as loggp::UsedPoint::run counts them
  loggp::PointUse use;
};

// Gives the phases of `folder`'s model the computation of runs in the experiment folders `points`
// (measurable_points.h), which are of the same program. Errors (kInput): nothing was counted in `folder`; no run is
// used, and nothing was counted in one of `points`; as of read_runs() and loggp::use_points().
core::Result<PointsOfTarget> use_points_of(loggp::ScalingModel& model, const std::string& folder,
                                           const std::vector<std::string>& points, Remarks& remarks);

// The runs, shares and errors of the points that were taken; mean_s and predicted_s are not set.
PointComputation point_computation(const PointsOfTarget& taken);

}  // namespace scalediag::predict
