// The output of `scalediag network`.
#pragma once

#include <string>

#include "core/text/table.h"
#include "loggp/network/network.h"

namespace scalediag::report {

// For each link class the parameters, and measured values beside those that the parameters give.
std::string network_table(const loggp::Network& network, const core::TableStyle& style);

}  // namespace scalediag::report
