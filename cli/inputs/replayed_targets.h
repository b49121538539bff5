// Computation of targets that was replayed, for `predict --replayed`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "fit/application/application_model.h"
#include "report/findings/known/replayed_computation.h"

namespace scalediag::cli {

// The computation of the ranks replayed in `folder`, by the number of processes of the targets that have as many; ranks
// that were not replayed are given that of another one of their group, which `input`'s traces tell. Errors: (kUsage)
// `input` is no experiment of a program, or has other parameters than the number of processes; no target has as many
// processes; (kInput) `folder` holds no recorded run or another program's, with other arguments, or nothing was
// replayed; ranks were left out and nothing tells which others stand for them.
core::Result<std::map<double, report::ReplayedComputation>> replayed_targets(
    const std::string& folder, const MeasurementInput& input, const fit::ApplicationModel& model,
    const std::vector<std::vector<double>>& targets);

}  // namespace scalediag::cli
