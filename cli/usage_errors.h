// What is said to somebody whose command line cannot be understood.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::cli {

// Error (kUsage): the first argument that is no option is not one of the app's commands; with what may have been meant.
// (The option parser would only say that a command is missing.)
core::Status check_command(const CLI::App& app, const std::vector<std::string>& arguments);

// Prints what the option parser threw, help and version too, with a hint; returns the exit status.
int explain_usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments);

}  // namespace scalediag::cli
