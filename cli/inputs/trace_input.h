// The folder of the traces that `scalediag trace` and `scalediag simulate` read.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::cli {

// `path` itself if it holds traces; else the folder of the run of the experiment folder `path` that has `np` ranks (0:
// any) and the id `run` (empty: any), the first of its repeats. Errors: there is none (kInput); there are several that
// differ in their configuration (kUsage).
core::Result<std::string> find_trace_folder(const std::string& path, int np, const std::string& run);

// The traces of a folder, with the instructions that were counted for this run of an experiment. Warns of ranks whose
// instructions belong to other events. Errors: as of loggp::read_traces() and loggp::take_instructions().
core::Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& folder);

}  // namespace scalediag::cli
