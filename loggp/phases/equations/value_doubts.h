// Doubts about a hypothesis of bytes or repetitions, as sentences without the name of the quantity.
#pragma once

#include <string>
#include <vector>

#include "loggp/phases/equations/value_choice.h"

namespace scalediag::loggp {

// Compares the hypothesis that is taken with the others that meet the samples, at the first rank of the target where
// they differ.
// Precondition: the decision has another hypothesis.
std::string what_others_give(const ValueChoice::Decision& decision, int target);

// That the hypothesis has as many coefficients as there are different values, which some coefficients always meet;
// empty: it has fewer, or is constant.
std::string unconfirmed(const ValueHypothesis& taken, const std::vector<ValueSample>& samples);

// That a rank of the target would have less than one element of what is divided, where all samples have one or more;
// empty: none would, of the last rank and up to 63 others. An element is one repetition, or the most bytes up to 8 that
// all samples are multiples of.
std::string empty_at(int target, const ValueHypothesis& taken, const std::vector<ValueSample>& samples, bool is_bytes);

}  // namespace scalediag::loggp
