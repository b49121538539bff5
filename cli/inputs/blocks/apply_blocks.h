// The computations of a run replaced by what block models predict.
#pragma once

#include <vector>

#include "core/result.h"
#include "fit/blocks/block_models.h"
#include "loggp/traces/trace_file.h"
#include "report/render/text/blocks_text.h"

namespace scalediag::cli {

// Gives the traces of a run the computations that models predict: those of blocks with a model, and the recorded ones
// times `other_factor` for the others. Warnings: of modelled_program(), and where the sum is far from what was
// recorded. Errors: of modelled_program(); the models are not of seconds (kInput).
Result<report::AppliedBlocks> apply_blocks(const fit::BlockModels& models, std::vector<loggp::RankTrace>& traces,
                                           double other_factor);

}  // namespace scalediag::cli
