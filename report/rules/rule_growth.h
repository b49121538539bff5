// The growth of a series over the measured scales.
//
// The slope of log value over log processes, by least squares of the scales' means. Half its interval is the largest of
//   scatter   t(n - 2) x standard error from the residuals of n scales, which have n - 2 degrees of freedom: three
//             scales make 6.3 standard errors of it
//   repeats   t(Welch's degrees of freedom) x the error that the repeats of each scale make of the slope
//   known     1.645 x what is known beforehand: sampling, and that times repeat to 2 % at best (scaling_verdict.h)
// Two scales have no scatter: without repeats at both of them nothing is known about the error.
#pragma once

#include <vector>

#include "core/result.h"
#include "fit/data/observations.h"
#include "report/rules/rule.h"
#include "report/rules/rule_value.h"

namespace scalediag::report {

struct GrowthOptions {
  double known_error = 0;    // relative standard error of every value
  bool repeats_tell = true;  // false: repeats share an error, of a model, that they cannot show
};

// The growth over the scales up to that of `at` whose other parameters are those of `at`; the evidence names them.
// Error (kUsage): fewer than two such scales with a value above 0; the hint says what to ask for, or to measure.
core::Result<RuleFact> growth_measured(const Rule& rule, const fit::Series& series, const RuleDomain& domain,
                                       const std::vector<double>& at, const GrowthOptions& options);

}  // namespace scalediag::report
