// The comparison of how kernels scale in two profiles.
#pragma once

#include <vector>

#include "core/profile/profile.h"
#include "report/diff/comparison.h"

namespace scalediag::report {

struct GrowthComparison {
  bool judged = false;  // three scales or more, the other parameters held
  std::vector<GrowthChange> kernels;
};

// Slopes of log time over log processes at the configurations with the most scales, of kernels that are judged at one
// of them. `chance` is the probability of any wrong claim.
GrowthComparison compare_growth(const std::vector<ComparedConfiguration>& configurations, double chance);

// The models' formulas on either side, of kernels whose growth changed.
void add_formulas(const core::Profile& a, const core::Profile& b, std::vector<GrowthChange>& growth);

}  // namespace scalediag::report
