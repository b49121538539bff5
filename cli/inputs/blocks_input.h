// Block models learnt from traces, and applied to traces: loggp's executions of blocks joined with fit's models.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/blocks/block_learning.h"
#include "fit/blocks/block_models.h"
#include "loggp/traces/trace_file.h"
#include "report/render/text/blocks_text.h"

namespace scalediag::cli {

struct BlockSource {
  std::string path;         // an experiment folder, or one with traces
  int np = 0;               // selects one of its runs; 0: the only one
  std::string run;          // the same, by its id; empty: not given
  std::string computation;  // "replay:DIR": times are those of replayed ranks; empty: those of the traces
  std::string slice;        // the ranks, a list; empty: all, or those that were replayed
};

struct BlockLearning {
  double least_share = 0.01;            // of the program's computation: shorter blocks have no model
  std::vector<std::string> attributes;  // only these; empty: all
  bool for_other_sizes = false;         // the place of a rank and the number of an iteration are no attributes
  std::string metric = fit::kSecondMetric;
  fit::LearningOptions options;
};

// Models of the blocks of these ranks. Warns of blocks that are left out because they were executed too seldom, of
// those with fewer than fit::kRobustExecutions, and of those whose time varies although no attribute does. Errors: as
// of find_trace_folder(), read_recorded_traces(), read_replayed() and loggp::block_executions(); no block was executed
// often enough (kInput); an attribute that is not there, or is constant in all blocks (kUsage).
core::Result<fit::BlockModels> learn_blocks(const BlockSource& source, const BlockLearning& learning);

// Holds the models against these ranks. Warns of models that need the place of ranks in runs of another number of
// ranks, as apply_blocks() does. Errors: of find_trace_folder(), read_recorded_traces(), read_replayed(),
// loggp::block_executions() and apply_blocks().
core::Result<report::BlockCheck> check_blocks(const fit::BlockModels& models, const BlockSource& source);

// Gives the traces of a run the computations that models predict: those of blocks with a model, and the recorded ones
// times `other_factor` for the others. Errors (kInput): a trace has no computation of its own for each event, is of
// another program than the models, or has none of their blocks; a model needs an attribute that traces do not have, or
// is not of seconds.
core::Result<report::AppliedBlocks> apply_blocks(const fit::BlockModels& models, std::vector<loggp::RankTrace>& traces,
                                                 double other_factor);

}  // namespace scalediag::cli
