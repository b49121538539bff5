// The model of a count of MPI (calls or bytes of an operation, summed over ranks): the exact law where one is found;
// else a law that holds nearly, as it does for messages whose sizes depend on what is computed; else the general
// procedure of model.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/count_law.h"
#include "fit/model.h"

namespace scalediag::fit {

// With at least this many numbers of processes above 1, a law that meets all counts is taken to be the program's own; a
// law of one term with one number less, where not all of them are powers of two.
constexpr int kScalesForLaw = 4;

class CountModel {
 public:
  // Precondition: `at` as in the series. The interval spans the values of all laws that fit the counts equally well;
  // for a law that holds nearly, of all laws that do. With fewer than kScalesForLaw scales of several ranks different
  // laws fit by chance, and the interval spans the values of all laws that were found and the interval of the general
  // procedure.
  Estimate evaluate(std::span<const double> at) const;
  std::string formula() const;
  ValueOfFormula value_of_formula() const;
  bool is_exact() const { return exact_; }
  bool has_few_scales() const { return few_scales_; }
  // The law that gives the value, then those that count for the interval. Empty where the counts follow none or are all
  // zero.
  std::span<const CountLaw> laws() const;

 private:
  friend core::Result<CountModel> fit_count(const Series& series, const FitOptions& options);
  std::vector<CountLaw> laws_;  // best first
  bool exact_ = false, few_scales_ = false;
  std::optional<Model> model_;  // set without a law, or with few scales to be sure of one
  double level_ = 0.9;
};

// `series` has the number of processes as its first parameter. Exact laws are looked for where no other parameter
// varies. Errors: as fit().
core::Result<CountModel> fit_count(const Series& series, const FitOptions& options = {});

// CountModel::laws() of a series of calls or bytes of an MPI operation; empty for any other series.
std::vector<CountLaw> laws_of_counts(const Series& series, const FitOptions& options);

}  // namespace scalediag::fit
