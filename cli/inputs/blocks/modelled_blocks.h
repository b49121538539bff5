// The executions of a run's blocks, with the estimates of block models.
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "fit/blocks/block_models.h"
#include "loggp/blocks/block_executions.h"

namespace scalediag::cli {

// A block that has a model and executions.
struct ModelledBlock {
  const fit::BlockModel* model = nullptr;
  const loggp::BlockExecutions* executions = nullptr;
  std::vector<std::vector<double>> rows;      // of each execution: the attributes of the model
  std::vector<fit::BlockEstimate> estimates;  // of each execution

  size_t outside() const;  // executions with an attribute beyond what was learnt from
};

struct ModelledProgram {
  loggp::ProgramBlocks program;
  std::vector<ModelledBlock> blocks;  // in the order of the models; refer to the models and to `program`
};

// Warns of models of which there is no execution, of models that need the place of ranks in runs of another number of
// ranks, and of blocks many of whose executions are far beyond what was learnt from. Errors: of
// loggp::block_executions(); (kInput) traces are of another program than the models, have none of their blocks, or lack
// an attribute that a model needs.
Result<ModelledProgram> modelled_program(const fit::BlockModels& models, const std::vector<loggp::RankTrace>& traces,
                                         const loggp::BlockSelection& selection);

}  // namespace scalediag::cli
