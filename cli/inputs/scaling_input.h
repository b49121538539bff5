// The traces at several numbers of ranks that `scalediag phases`, `scale` and `simulate` read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/instructions/measurable_points.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/phases/scaling_model.h"
#include "predict/evidence/points.h"
#include "predict/evidence/traces.h"
#include "predict/sources/computation_interval.h"

namespace scalediag::cli {

// The model of the experiment folder's traced runs, the first complete repeat of each number of ranks; `leave_out` are
// numbers of ranks that are not used, `target` the one that is asked for (0: loggp::default_target()), `lone` what
// ranks compute alone. Errors: runs of different inputs, and as find_trace_folder() and loggp::model_of().
Result<loggp::ScalingModel> read_scaling_model(const std::string& folder, const std::vector<int>& leave_out, int target,
                                               const predict::LoneRanks& lone = {});

using predict::has_only_other_scales;
using predict::NamedRun;
using predict::not_counted;
using predict::point_computation;
using predict::PointsOfTarget;
using predict::unmatched_error;

Result<std::vector<NamedRun>> read_runs(const std::string& path);

// Error (kInput): an experiment in `points` is of another program than `folder`'s.
Status check_programs_of_points(const std::string& folder, const std::vector<std::string>& points);

// As predict::use_points_of(), with that check.
Result<PointsOfTarget> use_points_of(loggp::ScalingModel& model, const std::string& folder,
                                     const std::vector<std::string>& points);

// Warns of messages of the scaled traces that have no partner, with their operation and phase, and the command that
// records another number of ranks. `folder`: the experiment that they are of.
void tell_unmatched(const loggp::ScaledTraces& traces, const std::string& folder);

// The scaled traces of `np` ranks, of the model of read_scaling_model(). `points`: experiment folders of other inputs,
// whose computation is taken for the phases in which their ranks execute as many instructions (measurable_points.h).
// Warns of what no equation explains, of what the measured scales leave open, of messages without a partner, and of
// phases for which no point was found, or where the computation has no interval. `most_rounds`: as ScaledTraces takes
// it. `computation`: takes what the traces compute, with its interval, if it has one. `is_silent_of_unmatched`: traces
// with messages without a partner are returned without a warning. Error (kInput): also where there are points and
// nothing was counted.
Result<loggp::ScaledTraces> read_scaled_traces(const std::string& folder, const std::vector<int>& leave_out, int np,
                                               const std::vector<std::string>& points = {},
                                               uint64_t most_rounds = UINT64_MAX,
                                               std::optional<predict::ScaledComputation>* computation = nullptr,
                                               bool is_silent_of_unmatched = false);

}  // namespace scalediag::cli
