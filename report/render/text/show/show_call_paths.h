// The call tree of a configuration, as `scalediag show --call-paths` prints it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {

// One line a path: the `top` largest ones, 0 for all; empty: those of at least 1 %. `any_uncertain` becomes true where
// a time has a "~".
std::string call_paths_table(const core::ConfigurationSummary& summary, std::optional<size_t> top,
                             const core::TimeFormat& time, const core::TableStyle& style, bool& any_uncertain);

extern const char* const kCallPathsLegend;

}  // namespace scalediag::report
