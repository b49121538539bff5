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
Result<CommandOutput> run_and_capture(const std::vector<std::string>& command);

// A command that was started for the file that it leaves behind.
struct Tried {
  enum class Until { kDone, kEnded, kTimeLimit, kInterrupted };
  Until until = Until::kTimeLimit;
  int exit_status = 0;  // kEnded: 128 + signal when a signal ended it
  int signal = 0;       // kInterrupted: that this program was sent
};

// Starts a command with further environment variables ("NAME=value") until `is_done` is true, it ends, the time limit
// passes or this program is interrupted; then it is ended with all processes of its group. What it writes goes into
// `output_file`. Error (kEnvironment): it cannot be started. Precondition: there is no InterruptionGuard.
Result<Tried> try_command(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                          const std::string& output_file, double time_limit_s, const std::function<bool()>& is_done);

}  // namespace scalediag::launch
