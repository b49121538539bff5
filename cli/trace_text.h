// What `scalediag trace` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "loggp/trace_file.h"

namespace scalediag::cli {

// A rank in one line: how much it did and how far it could be folded.
std::string trace_summary(const loggp::RankTrace& trace);

// Every event in a line, with its number in a simulation and the computation before it; loops with what they contain.
std::string trace_text(const loggp::RankTrace& trace);

nlohmann::ordered_json trace_json(const loggp::RankTrace& trace);

}  // namespace scalediag::cli
