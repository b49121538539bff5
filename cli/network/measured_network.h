// A network from what the measuring program measured, for `network` and `profile`.
#pragma once

#include <string>

#include "collector/launch/host/network_probe.h"
#include "core/result.h"
#include "loggp/network/network_measurement.h"

namespace scalediag::cli {

// The parameters that fit best, however badly (loggp::largest_residual), with the library, the hosts and what measured
// them. A class of link that was not measured has no segments. Error: as of loggp::fit_link().
Result<loggp::Network> network_of(const loggp::NetworkMeasurement& measured, const launch::NetworkProbe& probe,
                                  const std::string& name);

}  // namespace scalediag::cli
