// The network of an experiment folder, network.json: that of the host, which `profile` measures once, or the one that
// the runs were emulated on. Commands that need a network and are given none take it.
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
    "The network (default: that of the experiment folder INPUT)";

// Measures messages between ranks that are started as the program's were, in some two seconds, and writes the network
// into the folder. Does nothing where the folder has one, or no run of several ranks. Says in one line what was
// measured, or the reason why nothing was: the experiment is valid without. What failed is tried again only where
// `made_runs`, this session made some.
void keep_host_network(const launch::ProfilePreparation& preparation, const launch::ProfileSession& session,
                       launch::ExperimentStore& store, bool made_runs);

// Writes the network that runs were emulated on into their folder, unless it has one. Error: the file cannot be
// written.
core::Status keep_emulated_network(const std::string& folder, const loggp::Network& network);

// The network that `asked`, the value of --network, names; where it is empty the one of the experiment folder `input`,
// which a note says. Errors: as of loggp::network_of(); neither is there (kUsage).
Result<loggp::Network> asked_or_host_network(const std::string& asked, const std::string& input);

// The network.json of the experiment folder `input`; empty where it has none.
std::string host_network_file(const std::string& input);

// "the network is that of the experiment's folder, shared memory of node7 (app.scalediag/network.json); for a cluster
// give its own: ..."
std::string host_network_remark(const loggp::Network& network, const std::string& file);

}  // namespace scalediag::cli
