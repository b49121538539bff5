// Hypotheses of message counts and volumes over the number of processes.
//
// Calls and bytes of an MPI operation, summed over ranks, are whole numbers that follow from how the program divides
// its domain, and they are the same in every run. So they obey one of few hypotheses exactly, and a hypothesis that
// meets every measured scale (kExactly) is the program's own rather than a fit. The terms are the sums over ranks of
// core/equations.
//
// A hypothesis has at most two of these terms (three for a halo in three dimensions), with coefficients that are not
// negative. Among hypotheses with equal values at the measured scales, those with whole coefficients and terms of one
// grid are preferred.
//
// Coefficients belong to one problem size D. Where what a rank sends follows its share of the problem, D/P, a term that
// grows as P^a is P^a D^(1-a): the surface of a plane, sqrt(P), is sqrt(P D), and that of a space P^(1/3) D^(2/3). What
// every rank sends alike (a = 1), or to each other one, is the same at any size.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/curves/model.h"

namespace scalediag::fit {

class CountHypothesis {
 public:
  struct Part {
    size_t term = 0;  // its place in core::terms_for(core::kOfSums)
    double coefficient = 0;
  };
  CountHypothesis(std::vector<Part> parts, double largest_deviation)
      : parts_(std::move(parts)), largest_deviation_(largest_deviation) {}

  // The count with so many processes, rounded to a whole number of at least 1.
  double at(double processes) const;
  // The same for a problem `growth` times as large, if what a rank sends follows D/P.
  double at_size(double processes, double growth) const;
  std::string formula() const;  // "1200 (P - 1)"
  std::vector<Coefficient> coefficients() const;
  double largest_deviation() const { return largest_deviation_; }
  std::span<const Part> parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
  double largest_deviation_;
};

struct ScaledCount {
  double processes = 0;
  double count = 0;
};

// Counts that obey a hypothesis deviate from it by no more than this, relative. Bytes do where the parts of a domain
// differ in size.
constexpr double kExactly = 1e-3;
// Counts that depend on what is computed (particles that cross a border) may deviate by this much from the hypothesis
// of their grid.
constexpr double kNearly = 0.01;

// Hypotheses that meet every count, best first: those that meet them but for errors of rounding, else within kExactly,
// else within kNearly; of these those with the smallest number of terms. Where one of fewer terms holds nearly, those
// of more have to deviate ten times less: counts that vary are met somewhat better by any term more. A hypothesis needs
// more distinct scales than it has terms. Counts of zero have to be reproduced as zero.
std::vector<CountHypothesis> hypotheses_that_meet(std::span<const ScaledCount> counts);

// The hypothesis of the same terms that these counts obey within `tolerance`; nothing where there is none, or there are
// fewer scales than terms.
std::optional<CountHypothesis> hypothesis_of_terms(const CountHypothesis& hypothesis,
                                                   std::span<const ScaledCount> counts, double tolerance);

}  // namespace scalediag::fit
