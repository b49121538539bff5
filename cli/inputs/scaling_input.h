// The traces at several numbers of ranks that `scalediag phases`, `scale` and `simulate` read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/instructions/measurable_points.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/phases/scaling_model.h"
#include "report/findings/known/computation_interval.h"

namespace scalediag::cli {

// The model of the experiment folder's traced runs, the first complete repeat of each number of ranks; `leave_out` are
// numbers of ranks that are not used, `target` the one that is asked for (0: loggp::default_target()).
// Errors: runs of different inputs, and as find_trace_folder() and loggp::model_of().
core::Result<loggp::ScalingModel> read_scaling_model(const std::string& folder, const std::vector<int>& leave_out,
                                                     int target);

// Whether the folder is an experiment that has traces, but none of a complete run with `np` ranks.
bool has_only_other_scales(const std::string& folder, int np);

core::Error not_counted(const std::string& folder);  // no instructions were

// A complete run of an experiment with its traces.
struct NamedRun {
  std::string name;  // "small.scalediag/np0004.r0"
  std::vector<loggp::RankTrace> traces;
};

// The complete runs of an experiment folder, one of each configuration.
core::Result<std::vector<NamedRun>> read_runs(const std::string& folder);

// The runs of other inputs that phases of a model took their computation from.
struct PointsOfTarget {
  std::vector<loggp::PhaseInstructions> predicted;
  std::vector<std::string> runs;  // names of all runs, as loggp::UsedPoint::run counts them
  loggp::PointUse use;
};

// Gives the phases of `folder`'s model the computation of runs in the experiment folders `points`
// (measurable_points.h). Errors (kInput): nothing was counted in `folder`, `points` are of another program; as of
// read_runs() and loggp::use_points().
core::Result<PointsOfTarget> use_points_of(loggp::ScalingModel& model, const std::string& folder,
                                           const std::vector<std::string>& points);

// The runs, shares and errors of the points that were taken; mean_s and predicted_s are not set.
report::PointComputation point_computation(const PointsOfTarget& taken);

// Warns of messages of the scaled traces that have no partner, with their operation and phase, and the command that
// records another number of ranks. `folder`: the experiment that they are of.
void tell_unmatched(const loggp::ScaledTraces& traces, const std::string& folder);

// The error that such messages are where the traces are to be simulated; nothing: there are none but those left out.
std::optional<core::Error> unmatched_error(const loggp::ScaledTraces& traces, const std::string& folder);

// The scaled traces of `np` ranks, of the model of read_scaling_model(). `points`: experiment folders of other inputs,
// whose computation is taken for the phases in which their ranks execute as many instructions (measurable_points.h).
// Warns of what no equation explains, of what the measured scales leave open, of messages without a partner, and of
// phases for which no point was found, or where the computation has no interval. `most_rounds`: as ScaledTraces takes
// it. `computation`: takes what the traces compute, with its interval, if it has one. Error (kInput): also where there
// are points and nothing was counted.
core::Result<loggp::ScaledTraces> read_scaled_traces(const std::string& folder, const std::vector<int>& leave_out,
                                                     int np, const std::vector<std::string>& points = {},
                                                     uint64_t most_rounds = UINT64_MAX,
                                                     std::optional<report::ScaledComputation>* computation = nullptr);

}  // namespace scalediag::cli
