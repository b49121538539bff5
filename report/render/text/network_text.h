// The output of `scalediag network`.
#pragma once

#include <string>

#include "cli/table.h"
#include "loggp/network.h"

namespace scalediag::cli {

// For each link class the parameters, and measured values beside those that the parameters give.
std::string network_table(const loggp::Network& network, const TableStyle& style);

}  // namespace scalediag::cli
