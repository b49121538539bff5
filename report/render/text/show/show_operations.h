// MPI operations of a configuration and the places that call them, as `scalediag show` prints them.
#pragma once

#include <cstddef>
#include <string>

#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {

// One line for each of the first `top` operations, 0 for all, and one for the others; below the first of them their
// largest call sites. `any_uncertain` becomes true where a time has a "~".
std::string operations_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                             const core::TableStyle& style, bool& any_uncertain);

}  // namespace scalediag::report
