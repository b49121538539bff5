// Computation of targets that was replayed, for `predict --replayed`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "fit/application/application_model.h"
#include "predict/sources/replayed_computation.h"
#include "predict/target.h"

namespace scalediag::cli {

// The computation of the ranks replayed in `folder`, by the number of processes of the targets that have as many; ranks
// that were not replayed are given that of another one of their group, which `input`'s traces tell. Errors: (kUsage)
// `input` is no experiment of a program, or has other parameters than the number of processes; no target has as many
// processes; (kInput) `folder` holds no recorded run or another program's, with other arguments, or nothing was
// replayed; ranks were left out and nothing tells which others stand for them.
Result<std::map<predict::Target, predict::ReplayedComputation>> replayed_targets(
    const std::string& folder, const MeasurementInput& input, const fit::ApplicationData& data,
    const std::vector<predict::Target>& targets);

}  // namespace scalediag::cli
