// Reads the traces of `scalediag profile --trace`: a file a rank, in the format of core/raw/trace_format.h, or a file
// of them a node (core/raw/node_format.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "loggp/traces/rank_trace.h"

namespace scalediag::loggp {

// Error (kInput): not a trace, of a newer version, or damaged, with the place. A trace that only ends early, after the
// lines that identify its rank, is no error.
Result<RankTrace> parse_rank_trace(std::string_view bytes, const std::string& file);

// All "*.trace" of a folder, by rank. Error (kInput): there are none, ranks are missing or do not belong together.
Result<std::vector<RankTrace>> read_traces(const std::string& folder);

}  // namespace scalediag::loggp
