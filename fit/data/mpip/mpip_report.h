// Reports of mpiP (app.64.1234.1.mpiP), as its User Guide describes them: the time of each task and the time of MPI
// calls by site.
//
// The call paths are the sites' callers as far as mpiP kept them ("main->exchange->MPI_Isend"), with "time", "calls"
// and "bytes" of the mean rank, "[computation]", the time outside of MPI, and "[MPI, other]", what the sites do not
// account for. Reports without details of sites have "MPI_Isend" only, and concise ones no "calls".
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

bool is_mpip(std::string_view text);

// Errors (kInput), with the line: no section of MPI time, a task's line that is none, a site that is not listed, a
// value that is no number.
core::Result<MeasuredRun> read_mpip(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
