// Learns the model of a block from its executions, as Zheng et al. (P2S2 2010) do.
//
// A third of the executions, chosen at random but always the same, is held out. Of the others, ten-fold
// cross-validation chooses the method: the mean; linear regression, least median of squares and linear support vectors,
// each in the attributes themselves and in their powers and products; and radial support vectors. The simplest one
// whose error is within a tenth of the smallest one is taken, fitted to all executions, and told with the error that a
// fit of two thirds of them has on the last third.
#pragma once

#include <cstddef>
#include <optional>

#include "core/result.h"
#include "fit/blocks/block_model.h"
#include "fit/blocks/block_samples.h"

namespace scalediag::fit {

// Fewer executions hardly make a robust model (Zheng et al., section IV.B).
constexpr size_t kRobustExecutions = 50;
constexpr size_t kFewestExecutions = 12;

struct LearningOptions {
  std::optional<BlockMethod> method;  // only this one; empty: the best one
};

// Attributes that are constant, or a linear combination of those before them, are left out. Errors (kInput): fewer
// executions than kFewestExecutions, values that are negative or not finite.
core::Result<BlockModel> learn_block(const BlockSamples& samples, const LearningOptions& options = {});

}  // namespace scalediag::fit
