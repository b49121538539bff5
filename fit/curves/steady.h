// Factors of a kernel's time that are the same at every scale, apart from noise.
#pragma once

#include <optional>

#include "fit/data/observations.h"

namespace scalediag::fit {

// The level of a series over the number of processes (its first parameter) that has no trend, in the series' unit: the
// geometric mean of its points. A series has no trend if the slope of the straight line through its points, in
// logarithms, is one that noise has in nine cases of ten. Noise is the scatter of the points around the line, and at
// least what is known before: how repeats differ, and `known_error`, the relative standard error of a point (0: not
// known).
//
// Empty where the series has a trend or could not show one: fewer than three scales; three different values of which no
// noise is known, since two unknowns leave next to no scatter; other parameters that vary; a value that is not
// positive; a step like that of a change of regime (fit/curves/regime.h).
std::optional<double> steady_level(const Series& series, double known_error);

}  // namespace scalediag::fit
