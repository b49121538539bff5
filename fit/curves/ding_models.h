// The three models of Ding et al. 2018 as the paper has them, fitted exactly: power a x^b + c, logarithm a log2(x) + c
// and exponential a e^(b x) + c, with coefficients of either sign. Theirs are of the work per process x = D / P: along
// the processes the exponential is a e^(b / P) + c, where power and logarithm only change the sign of b and a.
//
// They take no part in estimates (free_hypothesis.h does, where it meets what is held out): with as many
// coefficients as a usual series has points they follow its noise, and nothing keeps them positive. They are shown
// beside the model that is used, with how well they predict the largest scale, for a comparison with the paper's
// models.
#pragma once

#include <string>
#include <vector>

#include "fit/curves/curve_fit.h"
#include "fit/curves/model_facts.h"

namespace scalediag::fit {

// The power, the logarithm and the exponential, of those that could be fitted. `weight` is 0, and `reason` gives the
// value at the largest scale when fitted to the others. Errors are relative, weighted as the curve's values are. Empty
// for fewer than kScalesForCheck scales.
std::vector<Alternative> ding_models(const Curve& curve, const std::string& x);

}  // namespace scalediag::fit
