// How kernels used the machine, as a table of `scalediag show`: why a kernel takes the time it takes.
#pragma once

#include <cstddef>
#include <string>

#include "cli/table.h"
#include "core/run_summary.h"

namespace scalediag::cli {

// One line for each of the first `n` kernels that was counted, means over the configuration's repeats, followed by what
// a reader has to know of them. Empty where none of them was counted.
std::string resources_table(const core::ConfigurationSummary& summary, size_t n, const TableStyle& style);

// What the columns mean.
extern const char* const kResourcesLegend;

}  // namespace scalediag::cli
