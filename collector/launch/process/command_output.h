// Runs a small helper command (the dynamic loader, `mpirun --version`) and keeps its output.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::launch {

struct CommandOutput {
  int exit_status = 0;  // 128 + signal when a signal ended it
  std::string text;     // stdout and stderr, in the order they came
};

// `command[0]` is looked up in PATH. Standard input is empty. Error (kEnvironment): it cannot be started.
core::Result<CommandOutput> run_and_capture(const std::vector<std::string>& command);

// The end of a command that was started for the file that it leaves behind.
enum class TriedUntil { kDone, kEnded, kTimeLimit };

// Starts a command with further environment variables ("NAME=value"), its output thrown away, until `is_done` is true,
// it ends or the time limit passes; then it is ended with all processes of its group. Error (kEnvironment): it cannot
// be started.
core::Result<TriedUntil> try_command(const std::vector<std::string>& command,
                                     const std::vector<std::string>& environment, double time_limit_s,
                                     const std::function<bool()>& is_done);

}  // namespace scalediag::launch
