// Parallel efficiencies as the POP project defines them, at measured scales and at targets.
#pragma once

#include <vector>

#include "predict/predictor.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// Of all measured configurations, then of the targets, relative to the measured configuration `base`; those without
// computation are left out. Precondition: data with totals.
std::vector<Efficiencies> efficiencies_of(const predict::Predictor& predictor, const std::vector<double>& base,
                                          const std::vector<std::vector<double>>& targets, Scaling scaling);

BlockingFactors blocking_factors(const fit::ApplicationModel& model, const std::vector<double>& at);

}  // namespace scalediag::report
