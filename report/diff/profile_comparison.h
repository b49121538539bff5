// The comparison of two profiles, as comparison.h describes it.
#pragma once

#include "core/profile/profile.h"
#include "core/result.h"
#include "report/diff/comparison.h"

namespace scalediag::report {

// Errors (kInput): a side has no complete run; the clocks differ (the hint says how to make them equal); no
// configuration is in both.
core::Result<Comparison> compare_profiles(const core::Profile& a, const core::Profile& b,
                                          const ComparisonOptions& options = {});

}  // namespace scalediag::report
