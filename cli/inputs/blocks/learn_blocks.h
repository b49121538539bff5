// Block models learnt from the traces of a run: loggp's executions of blocks, and fit's models of them.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs/blocks/block_run.h"
#include "core/result.h"
#include "fit/blocks/block_learning.h"
#include "fit/blocks/block_models.h"

namespace scalediag::cli {

struct BlockLearning {
  double least_share = 0.01;            // of the program's computation: shorter blocks have no model
  std::vector<std::string> attributes;  // only these; empty: all
  bool for_other_sizes = false;         // the place of a rank and the number of an iteration are no attributes
  std::string metric = fit::kSecondMetric;
  fit::LearningOptions options;
};

// Models of the blocks of these ranks. Warns of blocks that are left out because they were executed too seldom, of
// those with fewer than fit::kRobustExecutions, and of those whose time varies although no attribute does. Errors: as
// of read_block_run() and loggp::block_executions(); nothing was computed, or no block was executed often enough
// (kInput); no block has the share that is asked for, an attribute is not there, was left out or is constant in all
// blocks (kUsage).
Result<fit::BlockModels> learn_blocks(const BlockSource& source, const BlockLearning& learning);

}  // namespace scalediag::cli
