// The files that a command writes, against all that it reads: one check for all commands, made of their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::cli {

// Marks an option whose value is a file that the command writes. Returns it.
CLI::Option* writes_file(CLI::Option* option);
// The same where "-" stands for standard output.
CLI::Option* writes_file_or_stdout(CLI::Option* option);
bool is_written(CLI::Option& option);

// Checks what `command` was told to write, after its options were parsed. It reads every file and folder that any other
// option or `application`, the program and its arguments, names, also behind "NAME=" and "replay:". Errors: as of
// core::check_output_files().
Status check_written_files(CLI::App& command, const std::vector<std::string>& application);

}  // namespace scalediag::cli
