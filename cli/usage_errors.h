// Messages about a command line that cannot be understood.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::cli {

// Error (kUsage): the first argument that is no option is not one of the app's commands; with similar ones. (The option
// parser would only say that a command is missing.)
core::Status check_command(const CLI::App& app, const std::vector<std::string>& arguments);

// Prints the exception of the option parser, also help and version, with a hint; returns the exit status.
int explain_usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments);

}  // namespace scalediag::cli
