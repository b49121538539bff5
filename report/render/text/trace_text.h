// The output of `scalediag trace`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "loggp/traces/trace_comparison.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::report {

// A rank in one line: the number of its events and how far they could be folded.
std::string trace_summary(const loggp::RankTrace& trace);

// One line for each event, with its number in a simulation and the computation before it; loops with their content.
std::string trace_text(const loggp::RankTrace& trace);

nlohmann::ordered_json trace_json(const loggp::RankTrace& trace);

// The part of two traces that is the same, by operation, and the first event that is not.
std::string trace_comparison_text(const loggp::TraceComparison& comparison);

nlohmann::ordered_json trace_comparison_json(const loggp::TraceComparison& comparison);

}  // namespace scalediag::report
