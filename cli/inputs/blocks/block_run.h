// The run whose blocks are looked at: its traces, and the ranks and times that count.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/blocks/block_executions.h"
#include "loggp/representatives/computation_vector.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::cli {

struct BlockSource {
  std::string path;         // an experiment folder, or one with traces
  int np = 0;               // selects one of its runs; 0: the only one
  std::string run;          // the same, by its id; empty: not given
  std::string computation;  // "replay:DIR": times are those of replayed ranks; empty: those of the traces
  std::string slice;        // the ranks, a list; empty: all, or those that were replayed
};

struct BlockRun {
  std::vector<loggp::RankTrace> traces;  // of all ranks
  std::set<int> ranks;                   // that count
  loggp::ReplayedRanks replayed;         // what replayed ranks computed; no vectors: times are those of the traces
};

// Errors: as of find_trace_folder(), read_recorded_traces() and read_replayed(); a rank that is not there (kUsage).
Result<BlockRun> read_block_run(const BlockSource& source);

// Of values of `metric` (block_models.h). It refers to the run.
loggp::BlockSelection selection_of(const BlockRun& run, const std::string& metric, loggp::TagRanges tags);

// File name of the executable.
std::string program_of(const std::vector<loggp::RankTrace>& traces);

// The column of an attribute; empty: it is not there.
std::optional<size_t> column_of(const std::string& name, const std::vector<std::string>& attributes);

// The values of a row in these columns.
std::vector<double> picked(const std::vector<double>& row, const std::vector<size_t>& columns);

// The number of executions that lack an attribute that others have: a parameter that the program did not name each
// time.
size_t executions_without(const loggp::BlockExecutions& executions, size_t column);

}  // namespace scalediag::cli
