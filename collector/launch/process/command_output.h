// Runs a small helper command (the dynamic loader, `mpirun --version`) and keeps its output.
#pragma once

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

}  // namespace scalediag::launch
