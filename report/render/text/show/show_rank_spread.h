// The spread of times over the ranks of a large run, as a table.
#pragma once

#include <string>

#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {

// The parts of a rank's time and the `top` largest kernels and operations, 0: all, of the first repeat. Empty for runs
// without quantiles, which are those of up to core::kRanksWithoutQuantiles ranks.
std::string rank_spread_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                              const core::TableStyle& style);

extern const char* const kRankSpreadLegend;

}  // namespace scalediag::report
