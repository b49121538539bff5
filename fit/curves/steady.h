// Factors of a kernel's time that are the same at every scale, apart from noise.
#pragma once

#include <optional>

#include "fit/data/observations.h"

namespace scalediag::fit {

// The level of a series over the number of processes (its first parameter), in the series' unit: the geometric mean of
// its points, if it has no trend. It has none if the slope of the straight line through its points, in logarithms, is
// one that noise has in nine cases of ten. Noise is the scatter of the points around the line, and at least what is
// known before: how repeats differ, and `known_error`, the relative standard error of a point (0: not known).
//
// Empty where the series has a trend, and where it could not show one: it has fewer than three scales, or three
// different values of which no noise is known (two unknowns leave next to no scatter), another parameter varies, a
// value is not positive, or there is a step like that of a change of regime (fit/curves/regime.h).
std::optional<double> steady_level(const Series& series, double known_error);

}  // namespace scalediag::fit
