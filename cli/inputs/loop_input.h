// The main loops of the ranks of a run, for recording only their first iterations.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/representatives/rank_loop.h"

namespace scalediag::cli {

// The loops of `ranks`, in their order, of the traces of `np` ranks in `path`, or of smaller runs' scaled to them.
// Errors: as of find_trace_folder(), loggp::read_traces() and read_scaled_traces(); a rank's trace has no loop
// (kInput).
core::Result<std::vector<loggp::RankLoop>> read_rank_loops(const std::string& path, int np,
                                                           const std::vector<int>& ranks);

}  // namespace scalediag::cli
