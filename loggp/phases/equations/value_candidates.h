// All hypotheses that measured values leave open: which of them is right is decided by what the rest of the program
// obeys (loggp/phases/slot_equations.h), and what they disagree on is told.
#pragma once

#include <array>
#include <vector>

#include "loggp/phases/equations/value_hypothesis.h"

namespace scalediag::loggp {

struct ValueCandidate {
  ValueHypothesis hypothesis;
  double complexity = 0;           // the sum over its terms; the least is preferred
  bool is_assumed_uneven = false;  // blocks were even where they were measured, and cannot be at the target
};

// The value at some ranks of `target`, in each round of a loop over its layers where it depends on them: two hypotheses
// with the same are the same there.
std::vector<double> values_at(const ValueHypothesis& hypothesis, int target);

// Hypotheses that meet all samples with the fewest terms, in the order of their complexity. Terms in the sides of
// `grid` are preferred. Of those that agree at the target only the first is there, and none whose value there cannot be
// one: negative, or no multiple of the element of 1, 2, 4 or 8 bytes that all samples are multiples of. Empty: no
// equation meets the samples, or they are as few as its terms. `partner`: the steps to the partner of a message
// in a plane that is square at all scales and the target; none: there is no such plane, or no such partner.
// `is_beside`: the partner is one of all neighbours in a row, `partner` the step to it in `grid`.
std::vector<ValueCandidate> value_candidates(const std::vector<ValueSample>& samples, core::GridKind grid, int target,
                                             const std::array<int, 3>& partner = {}, bool is_beside = false);

}  // namespace scalediag::loggp
