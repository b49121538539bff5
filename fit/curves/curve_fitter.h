// The fit of curves together, as curve_fit.h describes it.
#pragma once

#include <vector>

#include "fit/curves/curve_fit.h"

namespace scalediag::fit {

// Fits curves of one program and one metric; returns the fits in the order of `curves`. `level` is the share of true
// values that intervals are to hold; `threads` as in core/parallel.h.
std::vector<CurveFit> fit_curves(std::vector<Curve> curves, double level, ModelSet models, unsigned threads = 1);

}  // namespace scalediag::fit
