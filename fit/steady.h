// Factors of a kernel's time that are the same at every scale, but for noise.
#pragma once

#include <optional>

#include "fit/observations.h"

namespace scalediag::fit {

// The level of a series over the number of processes (its first parameter) that shows no trend: the slope of the
// straight line through its points, in logarithms, is one that noise has in nine cases of ten. Noise is what the points
// scatter around the line, and at least what is known of it beforehand: how repeats differ, and `known_error`, the
// relative standard error of a point (0: not known). The level is the geometric mean of the points.
//
// Nothing where there is a trend, or nothing that would show one: fewer than three scales; three of which no noise is
// known, since two unknowns leave them next to no scatter; other parameters that vary; a value that is not positive; a
// step that is one of a change of regime (fit/regime.h).
std::optional<double> steady_level(const Series& series, double known_error);

}  // namespace scalediag::fit
