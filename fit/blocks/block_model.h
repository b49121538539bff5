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
std::vector<std::string> block_method_names();

struct WeightedTerm {
  BlockTerm term;
  double coefficient = 0;
};

// An attribute that the model uses.
struct UsedAttribute {
  std::string name;
  double least = 0, most = 0;  // in the executions that the model was fitted to
  // How much longer the block takes, as a part of its mean, where the attribute has its most in place of its least and
  // all others have their means.
  double effect = 0;
};

// A block's time as a function of a row of attributes.
struct BlockFunction {
  double intercept = 0;                // of all methods but kRadialSupportVectors
  std::vector<WeightedTerm> terms;     // the same
  std::optional<RadialFit> radial;     // of kRadialSupportVectors
  std::vector<size_t> radial_columns;  // the attributes that are its columns, by their number in a row
  bool stopped_early = false;          // the solver of support vectors gave up before it had found the best ones

  double value(const std::vector<double>& row) const;  // not negative
};

struct BlockInterval {
  double low = 0, high = 0;
};

struct BlockEstimate {
  double value = 0;                       // not negative
  std::optional<BlockInterval> interval;  // holds 90 % of single executions like those that were held out
  bool is_outside = false;                // an attribute lies outside of what was learnt from
  double beyond = 0;                      // how far, by the range of the attribute that was learnt from
};

struct BlockModel {
  std::string name;
  BlockMethod method = BlockMethod::kMean;
  std::vector<UsedAttribute> attributes;  // a row of the function has their values in this order
  BlockFunction function;

  size_t executions = 0;         // that there were to learn from
  size_t fitted_executions = 0;  // that the function was fitted to: not more than most_executions() of block_learning.h
  double mean = 0;               // of the values of all executions
  double share = 0;              // of the program
  // Relative mean errors, of ten folds of two thirds of the executions, and of the last third by a model of the other
  // two. Empty: unknown, because these executions took no time and something else was predicted.
  std::optional<double> cross_validation_error, held_out_error;
  double held_out_error_of_sum = 0;  // the sum of these predictions by that of the executions, - 1
  // The deviations from predictions, as parts of them, that hold 90 % of executions like those of the last third.
  // Empty: unknown, because these are too few, or what was predicted to take no time took some.
  std::optional<BlockInterval> deviations;

  // `row` has a value for each of `attributes`. Precondition: as many.
  BlockEstimate estimate(const std::vector<double>& row) const;
  // The attributes of `row` that lie outside of what was learnt from.
  std::vector<std::string> outside(const std::vector<double>& row) const;
  // "2.1e-09 n^3 + 3.4e-07 n + 1.2e-05"
  std::string formula() const;
};

}  // namespace scalediag::fit
