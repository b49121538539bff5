// The output of `scalediag groups`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text/table.h"
#include "loggp/representatives/representatives.h"

namespace scalediag::report {

// A line for each set of ranks that one stands for; then the representatives, as `--ranks` of other commands takes
// them. `is_scaled`: the groups are those of smaller runs, scaled.
std::string groups_text(const loggp::Representatives& representatives, const std::string& program, bool is_scaled,
                        const core::TableStyle& style);

// Rising numbers, rows of three and more as their ends: "0,3-7,9".
std::string rank_ranges(const std::vector<int>& ranks);

// "rank 3 stands for ranks 0-7, up to 12.0 % apart (noise: 10.0 %)"
std::string set_text(const loggp::RepresentedRanks& set);

nlohmann::ordered_json groups_json(const loggp::Representatives& representatives, const std::string& program,
                                   bool is_scaled);

}  // namespace scalediag::report
