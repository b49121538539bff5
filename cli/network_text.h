// What `scalediag network` prints.
#pragma once

#include <string>

#include "cli/table.h"
#include "loggp/network.h"

namespace scalediag::cli {

// Per link class: parameters, and what was measured beside what they say.
std::string network_table(const loggp::Network& network, const TableStyle& style);

}  // namespace scalediag::cli
