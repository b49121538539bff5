// Computation of targets by measurable points, for `--points` of `predict` and `report`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "fit/application/application_model.h"
#include "report/findings/known/point_computation.h"

namespace scalediag::cli {

// The computation of targets beyond the measured scales for which runs in the experiment folders `points` execute as
// many instructions in a phase, by the number of processes. Targets for which none does are left out. Errors: (kUsage)
// `input` is no experiment of a program, or has other parameters than the number of processes; no target is beyond the
// measured scales; (kInput) as of read_scaling_model() and use_points_of(); no run fits any target.
core::Result<std::map<double, report::PointComputation>> points_targets(
    const std::vector<std::string>& points, const MeasurementInput& input, const fit::ApplicationModel& model,
    const std::vector<std::vector<double>>& targets);

}  // namespace scalediag::cli
