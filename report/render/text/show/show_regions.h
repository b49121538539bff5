// The regions of a configuration as a table: the main loop and what the program's author named.
#pragma once

#include <string>

#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {

// Empty where no run has regions. Times are means over ranks and repeats, in the unit of `time`.
std::string regions_table(const core::ConfigurationSummary& summary, const core::TimeFormat& time,
                          const core::TableStyle& style);

// The reason why there is no main loop, as a line; empty where there is one, or where it is not known.
std::string no_main_loop_line(const core::ConfigurationSummary& summary);

extern const char* const kRegionsLegend;

}  // namespace scalediag::report
