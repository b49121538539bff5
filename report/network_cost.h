// The network model as the application model wants it: fit asks what an operation costs, loggp answers for one call.
#pragma once

#include <memory>

#include "core/result.h"
#include "fit/communication_cost.h"
#include "loggp/network.h"

namespace scalediag::report {

// Prices operations on `network`, which came from `file`. The communicator is taken to be all ranks and every call to
// be of the mean size, for a load says no more. Error (kInput): the network names a library or algorithm that is not
// known.
core::Result<std::shared_ptr<const fit::CommunicationCost>> network_cost(loggp::Network network,
                                                                         const std::string& file);

}  // namespace scalediag::report
