// The regions of a configuration as tables: the main loop, what the program's author named, and parallel regions of
// OpenMP, whose threads have a table of their own.
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

// The threads of parallel regions, with the time in and outside of these; empty where there are none.
std::string parallel_regions_table(const core::ConfigurationSummary& summary, const core::TimeFormat& time,
                                   const core::TableStyle& style);

extern const char* const kRegionsLegend;
extern const char* const kParallelRegionsLegend;

}  // namespace scalediag::report
