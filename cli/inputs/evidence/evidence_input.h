// The evidence of a program besides its measured times: traces, a network, replays and measurable points, from the
// experiment's folder and the options of a request.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction_request.h"
#include "core/result.h"
#include "fit/application/application_data.h"
#include "predict/evidence/evidence.h"
#include "predict/target.h"

namespace scalediag::cli {

// The evidence besides `data`, for targets of the whole program: its traces, a network, replays, points. Targets that
// points do not reach are erased (points_targets.h). Errors: an option asks for evidence that is not there.
Result<predict::Evidence> evidence_of(const MeasurementInput& input, const PredictionRequest& request,
                                      const fit::ApplicationData& data, std::vector<predict::Target>& targets);

}  // namespace scalediag::cli
