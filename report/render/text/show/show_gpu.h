// Calls of GPUs' libraries, and the devices' work, as text.
#pragma once

#include <cstddef>
#include <string>

#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {

// Empty where no call was seen. `top`: the most rows, 0: all.
std::string gpu_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                      const core::TableStyle& style);

}  // namespace scalediag::report
