// The use of the machine by kernels, as a table of `scalediag show`, which explains their time.
#pragma once

#include <cstddef>
#include <string>

#include "cli/table.h"
#include "core/run_summary.h"

namespace scalediag::cli {

// One line for each of the first `n` kernels that was counted, means over the configuration's repeats, followed by
// remarks about them. Empty where none of them was counted.
std::string resources_table(const core::ConfigurationSummary& summary, size_t n, const TableStyle& style);

// The meaning of the columns.
extern const char* const kResourcesLegend;

}  // namespace scalediag::cli
