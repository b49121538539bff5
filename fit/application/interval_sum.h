// Intervals of sums and products of estimates.
#pragma once

#include <span>

#include "fit/curves/model.h"

namespace scalediag::fit {

// The sum, with errors that are half common to all parts and half independent: the half width's square is the mean of
// (sum of half widths)^2 and sum of (half widths)^2, on each side by itself.
Estimate sum_of(std::span<const Estimate> parts, double level);

// The product of estimates with independent errors: relative half widths add in squares, on each side by itself.
Estimate product_of(std::span<const Estimate> factors, double level);

// The larger of both, in the value and in each end of the interval.
Estimate at_least(const Estimate& estimate, const Estimate& least);

// `estimate` with its value and both ends at most `most`.
Estimate at_most(const Estimate& estimate, double most);

// The interval widened to at least `relative` of the value on each side; low stays at 0 or above.
Estimate widened(Estimate estimate, double relative);

}  // namespace scalediag::fit
