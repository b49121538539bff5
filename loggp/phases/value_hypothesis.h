// Exact equations of whole numbers (bytes, repetitions, tags) over the number of ranks and a rank's place in a process
// grid.
//
// A hypothesis is a sum of at most three terms of a dictionary, with coefficients that are found by least squares; it counts
// only where it meets every measured number and there are more different numbers of ranks, or places in the grid, than
// terms. Terms: 1; powers and the logarithm of P; the sides of the grids and their inverses; whether a rank is first or
// last along a side (blocks without their border). fit/counts has hypotheses of sums over ranks; these are of single ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loggp/phases/process_grid.h"

namespace scalediag::loggp {

struct ValueSample {
  int ranks = 1, rank = 0;
  double value = 0;
};

class ValueHypothesis {
 public:
  struct Term {
    size_t feature = 0;  // of the dictionary
    double coefficient = 0;
  };
  static ValueHypothesis constant(double value);

  double at(int ranks, int rank) const;
  std::string formula() const;
  // A hypothesis that was found exactly; else a power of P through the means of all ranks.
  bool exact = true;
  std::vector<Term> terms;
  double factor = 0, exponent = 0;  // where it is not exact
};

// The exact hypothesis of these samples with the fewest terms; of several, one in the sides of `grid`. Nothing: there is none.
std::optional<ValueHypothesis> exact_value_hypothesis(const std::vector<ValueSample>& samples, GridKind grid = GridKind::kLine);

// factor P^exponent through the means over ranks at each scale, or their mean where there is one scale, or where means
// are not above 0.
ValueHypothesis power_hypothesis(const std::vector<ValueSample>& samples);

}  // namespace scalediag::loggp
