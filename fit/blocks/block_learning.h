// Learns the model of a block from its executions, as Zheng et al. (P2S2 2010) do.
//
// A third of the executions, chosen at random but always the same, is held out. Of the others, ten-fold
// cross-validation chooses the method: the mean; linear regression, least median of squares and linear support vectors,
// each in the attributes themselves and in their powers and products; and radial support vectors. Of six ranks or more,
// a third of the ranks is held out, and folds are ranks. The simplest method whose error, relative mean error plus that
// of the sum, is within a tenth of the smallest one is taken; one with powers, products or radial functions only where
// its error is at most 0.7 times that of the best without. It is fitted to all executions, and told with the error that
// a fit of two thirds of them has on the last third. Where there are more than most_executions(), so many are drawn at
// random, but always the same, for each of these fits; attributes have the range that these executions have.
//
// The interval of single executions is that of split conformal prediction (Vovk et al. 2005; Lei et al., JASA 2018):
// among n deviations that were held out and one more like them, the new one lies between the k-th smallest and the k-th
// largest of the n with a probability of at least 1 - 2 k / (n + 1), whatever their distribution; k is the largest
// number for which this is 90 %. It takes 19 executions that are held out; with fewer there is no interval.
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

// The largest number of executions that a method is fitted to; support vectors take a time that goes as its square.
size_t most_executions(BlockMethod method);

struct LearningOptions {
  std::optional<BlockMethod> method;  // only this one; empty: the best one
};

// Attributes are tried in stages: what the program named is a better reason than where a rank has its place.
//
// Attributes that are constant, or a linear combination of others to 5 % of their spread, are left out; of these, those
// that follow the values best are kept. Errors (kInput): fewer executions than kFewestExecutions, values that are
// negative or not finite.
Result<BlockModel> learn_block(const BlockSamples& samples, const LearningOptions& options = {});

}  // namespace scalediag::fit
