// Learns the model of a block from its executions, as Zheng et al. (P2S2 2010) do.
//
// A third of the executions, chosen at random but always the same, is held out. Of the others, ten-fold
// cross-validation chooses the method: the mean; linear regression, least median of squares and linear support vectors,
// each in the attributes themselves and in their powers and products; and radial support vectors. Of six ranks or more,
// a third of the ranks is held out, and folds are ranks. The simplest method whose error, relative mean error plus that
// of the sum, is within a tenth of the smallest one is taken; one with powers, products or radial functions only where
// its error is at most 0.7 times that of the best without. It is fitted to all executions, and told with the error that
// a fit of two thirds of them has on the last third.
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

// Attributes are tried in stages: what the program named is a better reason than where a rank has its place.
//
// Attributes that are constant, or a linear combination of others to 5 % of their spread, are left out; of these, those
// that follow the values best are kept. Errors (kInput): fewer executions than kFewestExecutions, values that are
// negative or not finite.
core::Result<BlockModel> learn_block(const BlockSamples& samples, const LearningOptions& options = {});

}  // namespace scalediag::fit
