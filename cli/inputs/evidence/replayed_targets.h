// Computation of ranks that were replayed, as evidence of a prediction.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "fit/application/application_model.h"
#include "predict/sources/replayed_computation.h"
#include "predict/target.h"

namespace scalediag::cli {

struct ReplayedTarget {
  predict::Target at;
  predict::ReplayedComputation computation;
};

// The computation of the ranks replayed in `folder`, and the number of processes that they were recorded with; with the
// run's trace only where that is one of `targets`. Ranks that were not replayed are given that of another one of their
// group, which `input`'s traces tell. Errors: (kUsage) `input` is no experiment of a program, or has other parameters
// than the number of processes; (kInput) `folder` holds no recorded run or another program's, with other arguments, or
// nothing was replayed; ranks were left out and nothing tells which others stand for them.
core::Result<ReplayedTarget> replayed_target(const std::string& folder, const MeasurementInput& input,
                                             const fit::ApplicationData& data,
                                             const std::vector<predict::Target>& targets);

}  // namespace scalediag::cli
