// The network of the host that `profile` measures on: measured once for an experiment folder, kept in it as
// network.json, and taken by commands that need a network and are given none.
#pragma once

#include <string>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/session/profile_session.h"
#include "collector/launch/store/experiment_store.h"
#include "core/result.h"
#include "loggp/network/network.h"

namespace scalediag::cli {

// The help of --network, of commands that take asked_or_host_network().
constexpr const char* kNetworkOfInput =
    "The network (default: that of the experiment folder INPUT, as profile measured it)";

// Measures messages between ranks that are started as the program's were, in some two seconds, and writes the network
// into the folder. Does nothing where the folder has one, or no run of several ranks. Says in one line what was
// measured, or the reason why nothing was: the experiment is valid without. What failed is tried again only where
// `made_runs`, this session made some.
void keep_host_network(const launch::ProfilePreparation& preparation, const launch::ProfileSession& session,
                       launch::ExperimentStore& store, bool made_runs);

// The network that `asked`, the value of --network, names; where it is empty the one of the experiment folder `input`,
// which a note says. Errors: as of loggp::network_of(); neither is there (kUsage).
Result<loggp::Network> asked_or_host_network(const std::string& asked, const std::string& input);

// The network.json of the experiment folder `input`; empty where it has none.
std::string host_network_file(const std::string& input);

// "the network is that of the experiment's folder, shared memory of node7 (app.scalediag/network.json); for a cluster
// give its own: ..."
std::string host_network_remark(const loggp::Network& network, const std::string& file);

}  // namespace scalediag::cli
