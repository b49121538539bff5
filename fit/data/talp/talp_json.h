// JSON of TALP, the profiler of DLB (--talp-output-file=talp.json): efficiencies and times of the whole run and of
// regions.
//
// In the implicit region ("Global", in older versions "MPI Execution" or "Application") "time" is what its CPUs spend
// on average in computation, MPI, waiting in OpenMP and the rest, so that these add up to the elapsed time; of other
// regions it is their elapsed time under the metric "elapsed_time", since regions contain one another. Times of TALP
// are nanoseconds. Efficiencies follow from the times and are not read.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

bool is_talp(std::string_view text);

// Errors (kInput), with the place in the document: no JSON; no regions; a time that is no number or negative.
core::Result<MeasuredRun> read_talp(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
