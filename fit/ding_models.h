// The three models of Ding et al. 2018 as the paper has them, fitted exactly: power a x^b + c, logarithm a log2(x) + c
// and exponential a e^(b x) + c, with coefficients of either sign.
//
// They take no part in estimates: with as many coefficients as a usual series has points they follow its noise, and
// nothing keeps them positive. They are shown beside the model that is used, with how well they predict the largest
// scale, for a comparison with the paper's models.
#pragma once

#include <string>
#include <vector>

#include "fit/curve_fit.h"
#include "fit/model.h"

namespace scalediag::fit {

// The power, the logarithm and the exponential, of those that could be fitted. `weight` is 0, and `reason` gives the
// value at the largest scale when fitted to the others. Errors are relative, weighted as the curve's values are. Empty
// for fewer than kScalesForCheck scales.
std::vector<Alternative> ding_models(const Curve& curve, const std::string& x);

}  // namespace scalediag::fit
