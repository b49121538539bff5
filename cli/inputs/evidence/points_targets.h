// Computation of targets by measurable points, for `--points` of `predict` and `report`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "predict/sources/point_computation.h"
#include "predict/target.h"

namespace scalediag::cli {

// The computation of targets beyond the measured scales for which runs in the experiment folders `points` execute as
// many instructions in a phase, or more and fewer. Targets that these do not reach are erased from `targets`, with a
// warning. Errors: (kUsage)
// `input` is no experiment of a program, or has other parameters than the number of processes; no target is beyond the
// measured scales; (kInput) as of read_scaling_model() and use_points_of(); no run fits any target.
Result<std::map<predict::Target, predict::PointComputation>> points_targets(const std::vector<std::string>& points,
                                                                            const MeasurementInput& input,
                                                                            const fit::ApplicationData& data,
                                                                            std::vector<predict::Target>& targets);

}  // namespace scalediag::cli
