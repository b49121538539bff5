// The options of all commands that start a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "collector/launch/plan/program_request.h"

namespace scalediag::cli {

// --param, --words, --launcher, --mpi and --stdin; `program` outlives the parsing. One run is made, with one value for
// each parameter, or, with `makes_several`, one of each combination.
void add_program_options(CLI::App& command, launch::ProgramRequest& program, bool makes_several);

// The usage line of such a command: "record -n P [OPTIONS]", without the program behind it.
void set_usage(CLI::App& command, const std::string& usage);

// The words that the experiment in `folder` was given, where `program` has none. Other folders give none.
void take_words_of(const std::string& folder, launch::ProgramRequest& program);

}  // namespace scalediag::cli
