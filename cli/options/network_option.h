// --network: the same forms and the same words about them in every command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace scalediag::cli {

// Adds `name`, whose value loggp::network_of() reads into a network: a file, words or the name of a typical network.
// `what` says what the network is to the command, without a full stop. Returns the option.
CLI::Option* add_network_option(CLI::App& command, const std::string& name, std::string& value,
                                const std::string& what);

}  // namespace scalediag::cli
