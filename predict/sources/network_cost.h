// The network model behind the interface of the application model: fit asks for the cost of an operation, loggp gives
// that of one call.
#pragma once

#include <memory>
#include <string>

#include "core/result.h"
#include "fit/application/communication_cost.h"
#include "loggp/network/network.h"

namespace scalediag::predict {

// Costs operations on `network`, which came from `file`. Every call is taken to have the mean size and to be made on
// the first ranks of a communicator of the mean size, since a load has no more detail. Error (kInput): the network
// names an unknown library or algorithm.
core::Result<std::shared_ptr<const fit::CommunicationCost>> network_cost(loggp::Network network,
                                                                         const std::string& file);

// The uncertainty of what the network says of an MPI operation, simulated or costed: half the width of a 90 % interval
// over the value.
double relative_error_on(const loggp::Network& network, const std::string& operation);

}  // namespace scalediag::predict
