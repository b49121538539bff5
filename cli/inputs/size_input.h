// --size NAME=EXPRESSION: the problem size in place of the parameters that lead to it.
#pragma once

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction_request.h"
#include "core/result.h"

namespace scalediag::cli {

// Puts the size in place of these parameters in what was measured, and in request.at; request.size is its name then.
// Changes nothing where --size is the name of a parameter or was not given. Errors (kUsage): as of
// parse_size_expression(); --size-values without an expression, or not of its form; no profile, or a region of
// one; a parameter that the data lack, or a value that --size-values lacks; the number of processes in the expression;
// (kInput) runs of different parameters have the same size.
core::Status choose_size(MeasurementInput& input, PredictionRequest& request);

}  // namespace scalediag::cli
