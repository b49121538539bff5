// Writes traces as the library inside the application does: the inverse of trace_file.h.
#pragma once

#include <string>

#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// The whole file of a complete rank.
std::string rank_file(const RankTrace& trace);

}  // namespace scalediag::loggp
