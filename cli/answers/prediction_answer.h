// The output of `predict`, with which `profile --at` ends, too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "core/result.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::cli {

struct PredictOptions {
  PredictionRequest prediction;
  std::vector<std::string> platforms = {};  // as of parse_platform(); empty: one prediction
  size_t top = 15;                          // kernels a target, 0: all
  bool details = false;                     // all that is known, in place of the first screen
  bool json = false;
  bool wide = false;
};

// `scalediag improve ...` and what it does first, where a target is not known within a factor of 1.5 and may be; else
// both are empty.
report::NextStep step_to_improve(const MeasurementInput& input, const PredictionRequest& request,
                                 const report::Findings& findings);

// The input of the request, with its region, size, call sites or call paths chosen. Replaces the request's size as
// choose_size() does. Errors: as of load_measurement_input(), choose_region() and its like.
Result<MeasurementInput> load_prediction_input(PredictionRequest& request);

// Errors: as of load_prediction_input(), findings_of().
Result<std::string> prediction_text(const PredictOptions& options);

}  // namespace scalediag::cli
