// The folder of the traces that `scalediag trace` and `scalediag simulate` read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/launch/store/program_comparison.h"
#include "core/result.h"
#include "loggp/traces/trace_file.h"
#include "predict/evidence/traces.h"

namespace scalediag::cli {

using predict::find_trace_folder;

// The traces of a folder, with the instructions that were counted for this run of an experiment. Warns of ranks whose
// instructions belong to other events. Errors: as of loggp::read_traces() and loggp::take_instructions().
Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& folder);

// The run of the traces in `folder`, an experiment whose traces are scaled to `np` ranks or a run's folder in one;
// nothing where traces are by themselves. `name`: as the user calls them.
std::optional<launch::ProgramRun> program_of_traces(const std::string& name, const std::string& folder, int np);

}  // namespace scalediag::cli
