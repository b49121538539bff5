// Fitted laws as formulas for people.
#pragma once

#include <string>
#include <vector>

#include "fit/curves/laws.h"
#include "fit/curves/model_facts.h"

namespace scalediag::fit {

// "3.2 + 11.5 / p" with `x` the parameter's name.
std::string formula_of(const FittedLaw& law, const std::string& x);
std::vector<Coefficient> coefficients_of(const FittedLaw& law, const std::string& x);

}  // namespace scalediag::fit
