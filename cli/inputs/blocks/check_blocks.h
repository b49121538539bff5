// Block models held against the traces of a run.
#pragma once

#include "cli/inputs/blocks/block_run.h"
#include "core/result.h"
#include "fit/blocks/block_models.h"
#include "report/render/text/blocks_text.h"

namespace scalediag::cli {

// Warnings: of modelled_program(). Errors: of read_block_run() and modelled_program().
Result<report::BlockCheck> check_blocks(const fit::BlockModels& models, const BlockSource& source);

}  // namespace scalediag::cli
