// The option --machine of the commands that turn counts into time.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace scalediag::cli {

// --machine FILE, or SCALEDIAG_MACHINE in the environment. `file` outlives the parsing.
void add_machine_option(CLI::App& command, std::string& file);

}  // namespace scalediag::cli
