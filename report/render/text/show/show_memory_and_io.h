// Memory and files of a configuration, as `scalediag show` prints them.
#pragma once

#include <cstddef>
#include <string>

#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {

// A line with the peak of memory, the largest over the configuration's repeats; empty where none of them knows it.
std::string memory_line(const core::ConfigurationSummary& summary);

// One line for each of the first `top` operations on files and for the places that call the first of them, means over
// the repeats; 0: all of all. Empty where there were none.
std::string io_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                     const core::TableStyle& style);

}  // namespace scalediag::report
