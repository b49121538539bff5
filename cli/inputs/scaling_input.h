// The traces at several numbers of ranks that `scalediag phases` and `scalediag scale` read.
#pragma once

#include <string>

#include "core/result.h"
#include "loggp/phases/scaling_model.h"

namespace scalediag::cli {

// The model of the experiment folder's traced runs, the first complete repeat of each number of ranks; `leave_out` is a
// number of ranks that is not used (0: all are), `target` the one that is asked for. Errors: as find_trace_folder() and
// loggp::model_of().
core::Result<loggp::ScalingModel> read_scaling_model(const std::string& folder, int leave_out = 0, int target = 0);

}  // namespace scalediag::cli
