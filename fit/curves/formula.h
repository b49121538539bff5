// Fitted hypotheses as formulas for people.
#pragma once

#include <string>
#include <vector>

#include "fit/curves/hypotheses.h"
#include "fit/curves/model_facts.h"

namespace scalediag::fit {

// "3.2 + 11.5 / p" with `x` the parameter's name.
std::string formula_of(const FittedHypothesis& hypothesis, const std::string& x);
// "3.2 + 11.5 p^-1"; "0" for none.
std::string text_of(const std::vector<Coefficient>& coefficients);
std::vector<Coefficient> coefficients_of(const FittedHypothesis& hypothesis, const std::string& x);

}  // namespace scalediag::fit
