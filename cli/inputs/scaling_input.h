// The traces at several numbers of ranks that `scalediag phases`, `scale` and `simulate` read.
#pragma once

#include <string>

#include "core/result.h"
#include "loggp/phases/scaled_trace.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::cli {

// The model of the experiment folder's traced runs, the first complete repeat of each number of ranks; `leave_out` is a
// number of ranks that is not used (0: all are), `target` the one that is asked for. Errors: as find_trace_folder() and
// loggp::model_of().
core::Result<loggp::ScalingModel> read_scaling_model(const std::string& folder, int leave_out = 0, int target = 0);

// Whether the folder is an experiment that has traces, but none of a complete run with `np` ranks.
bool has_only_other_scales(const std::string& folder, int np);

// Warns of what no equation explains and of what the measured scales leave open.
void tell_uncertainties(const loggp::ScalingModel& model);

// Warns of messages without a partner.
void tell_unmatched(const loggp::MessageBalance& balance);

// All ranks' scaled traces, as an input of the simulation. Warns as the two above do. Errors: as read_scaling_model()
// and loggp::TraceProgram::of().
core::Result<loggp::TraceProgram> read_scaled_program(const std::string& folder, int np);

}  // namespace scalediag::cli
