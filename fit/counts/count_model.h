// The model of a count of MPI: calls or bytes of an operation.
//
// Along the processes it is the first of these that is found:
//   an exact hypothesis (count_hypothesis.h);
//   a hypothesis that holds nearly, as for messages whose sizes depend on what is computed;
//   the general procedure (fit/curves/model.h), applied to the mean count of a rank.
// A count that varies, between repeats or from scale to scale, is that of something that converges or is balanced at
// run time: what was seen to vary goes on in the interval, and more of it the further away the target is.
//
// At a problem size D that was not measured, while several were: if the hypotheses of all sizes have the same terms,
// each coefficient has a model of its own over D. Else the mean count of a rank is modelled over D/P and D: along lines
// of equal work per rank little changes, where along the processes it does.
//
// If one size was measured, nothing tells how the count goes with D. Bytes of a rank are taken to follow D/P (as in
// CountHypothesis::at_size) and the calls of a hypothesis to stay, unless a ratio of the volumes is stated. The
// interval spans from counts that stay to counts that grow as D, and is widened by what another shape of the process
// grid may make of both.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/counts/count_hypothesis.h"
#include "fit/curves/fit.h"
#include "fit/curves/model.h"

namespace scalediag::fit {

// A hypothesis that meets all counts is taken to be the program's own if the counts are of at least this many numbers
// of processes above 1. For a hypothesis of one term one less is enough, where not all of them are powers of two.
constexpr int kScalesForHypothesis = 4;

class CountModel {
 public:
  // Precondition: `at` has the parameters of the series. The interval spans the values of all hypotheses that fit the
  // counts equally well, or of all that hold nearly where none is exact. With fewer than kScalesForHypothesis scales of
  // several ranks, hypotheses fit by chance: the interval then spans all that were found, and that of the general
  // procedure.
  Estimate evaluate(std::span<const double> at) const;
  std::string formula() const;
  ValueOfFormula value_of_formula() const;
  bool is_exact() const { return exact_; }
  bool has_few_scales() const { return few_scales_; }
  // The largest relative deviation of a count from the first hypothesis or the mean of its repeats; 0 without
  // hypotheses.
  double variation() const { return variation_; }
  // The hypothesis that gives the value, then those that count for the interval. Empty where the counts follow none,
  // are all zero, or were measured at several values of other parameters.
  std::span<const CountHypothesis> hypotheses() const;
  // States that bytes at a problem size that was not measured are `ratio` times those at the measured one. It has no
  // effect where several sizes were measured.
  void state_volume_ratio(double ratio) { volume_ratio_ = ratio; }

 private:
  friend Result<CountModel> fit_count(const Series& series, const FitOptions& options);
  // A term of the hypotheses that the counts obey at all sizes, and what it is multiplied with, over the sizes.
  struct SizedTerm {
    CountHypothesis unit;  // its coefficient is 1
    Model coefficient;
  };
  Status fit_along_processes(const Series& series, const FitOptions& options);
  Status fit_over_sizes(const Series& series, const FitOptions& options);
  void find_common_terms(const Series& series, const FitOptions& options);
  const CountModel* of_measured_size(std::span<const double> at) const;
  Estimate along_processes(std::span<const double> at) const;
  Estimate of_terms(std::span<const double> at) const;
  Estimate general(std::span<const double> at) const;
  Estimate of_other_size(std::span<const double> at) const;
  Series per_rank(const Series& series) const;

  double variation_at(double processes) const;

  std::vector<CountHypothesis> hypotheses_;  // best first
  double variation_ = 0;
  double doublings_ = 0;  // from the smallest to the largest scale
  double largest_scale_ = 0;
  bool exact_ = false, few_scales_ = false;
  std::optional<Model> model_;  // of a rank's count; set where there is no hypothesis, or few scales to be sure of one
  double level_ = 0.9;
  bool of_one_rank_ = false, is_volume_ = false;
  bool nothing_alone_ = false;  // one process was measured, and had a count of 0
  std::optional<double> volume_ratio_;
  // The declared problem size's place among the parameters and its value, where only one was measured.
  std::optional<size_t> size_;
  std::string size_name_;
  double measured_size_ = 0;
  // Whether other parameters than the processes were measured at several values; model_ is then fitted to all.
  bool several_sizes_ = false;
  std::vector<std::vector<double>> sizes_;  // the values of these parameters at which a hypothesis holds
  std::vector<CountModel> of_sizes_;        // the models there
  std::vector<SizedTerm> terms_;            // of a hypothesis that the counts of all sizes obey
};

// `series` has the number of processes as its first parameter. Its metric says what it is a count of: calls and bytes
// are sums over ranks, others ("critical_calls", "communicator_size") of one rank; those that end in "bytes" are
// volumes. Errors: as fit().
Result<CountModel> fit_count(const Series& series, const FitOptions& options = {});

// Whether a series is of calls or bytes of an MPI operation, summed over ranks.
bool is_count_of_all_ranks(const Series& series);

struct MetHypotheses {
  std::vector<CountHypothesis> hypotheses;  // CountModel::hypotheses()
  int points = 0;                           // configurations whose counts they meet
  bool few_scales = false;                  // CountModel::has_few_scales()
  double variation = 0;                     // CountModel::variation()
};

// Of a series of calls or bytes of an MPI operation; empty for any other series.
MetHypotheses met_hypotheses(const Series& series, const FitOptions& options);

}  // namespace scalediag::fit
