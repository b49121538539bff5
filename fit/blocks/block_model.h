// The learnt model of a block: its time, or its instructions, as a function of its attributes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fit/blocks/block_terms.h"
#include "fit/blocks/support_vector_fit.h"

namespace scalediag::fit {

// The methods of learning, in the order in which the simpler one is taken where two do as well.
enum class BlockMethod {
  kMean,
  kLinearRegression,
  kLeastMedianOfSquares,
  kLinearSupportVectors,
  kRadialSupportVectors,
};
const char* name_of(BlockMethod method);  // "linear_regression"
std::optional<BlockMethod> block_method(const std::string& name);

struct WeightedTerm {
  BlockTerm term;
  double coefficient = 0;
};

// An attribute that the model uses.
struct UsedAttribute {
  std::string name;
  double least = 0, most = 0;  // in the executions that it was learnt from
  // How much longer the block takes, as a part of its mean, where the attribute has its most in place of its least and
  // all others have their means.
  double effect = 0;
};

struct BlockEstimate {
  double value = 0;          // not negative
  double low = 0, high = 0;  // holds 90 % of single executions like those that it was learnt from
  bool is_outside = false;   // an attribute lies outside of what was learnt from
  double beyond = 0;         // how far, by the range of the attribute that was learnt from
};

struct BlockModel {
  std::string name;
  BlockMethod method = BlockMethod::kMean;
  std::vector<UsedAttribute> attributes;  // numbered as in terms
  double intercept = 0;                   // of all methods but kRadialSupportVectors
  std::vector<WeightedTerm> terms;        // the same
  std::optional<RadialFit> radial;        // of kRadialSupportVectors
  bool stopped_early = false;             // the solver of support vectors gave up before it had found the best ones

  size_t executions = 0;              // that it was learnt from
  double mean = 0;                    // of their values
  double share = 0;                   // of the program
  double cross_validation_error = 0;  // relative mean error, of ten folds of two thirds of the executions
  double held_out_error = 0;          // the same, of the last third, by a model of the other two
  double held_out_error_of_sum = 0;   // the sum of these predictions by that of the executions, - 1
  // Of the last third, the deviations from the prediction that 5 % lie below and 5 % above, as parts of it.
  double low = 0, high = 0;

  // `row` has a value for each of `attributes`. Precondition: as many.
  BlockEstimate estimate(const std::vector<double>& row) const;
  // The attributes of `row` that lie outside of what was learnt from.
  std::vector<std::string> outside(const std::vector<double>& row) const;
  // "2.1e-09 n^3 + 3.4e-07 n + 1.2e-05"
  std::string formula() const;
};

}  // namespace scalediag::fit
