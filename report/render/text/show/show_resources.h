// The use of the machine by kernels, as a table of `scalediag show`, which explains their time.
#pragma once

#include <cstddef>
#include <string>

#include "core/profile/run_summary.h"
#include "core/text/table.h"

namespace scalediag::report {

// One line for each of the first `n` kernels that was counted, means over the configuration's repeats, followed by
// remarks about them. Empty where none of them was counted.
std::string resources_table(const core::ConfigurationSummary& summary, size_t n, const core::TableStyle& style);

// The meaning of the columns.
extern const char* const kResourcesLegend;

}  // namespace scalediag::report
