// The launcher's message about a rank that a signal ended. Its exit status alone is not enough: Open MPI's mpirun and
// srun give 128 + signal, MPICH's the bare number, which an application may have returned itself.
#pragma once

#include <optional>
#include <string>

namespace scalediag::launch {

struct RankSignal {
  int signal = 0;
  int rank = -1;               // -1: the launcher does not say
  bool out_of_memory = false;  // `signal` is 0 then
};

// Finds "process rank 1 with PID 42 on node n exited on signal 11" (Open MPI) and "... EXIT STRING: Killed (signal 9)"
// (Hydra) at the end of the launcher's output, and "srun: error: node: task 1: Segmentation fault (core dumped)" or
// "... task 1: Out Of Memory", of which the first one counts: srun ends the other tasks after it.
std::optional<RankSignal> find_rank_signal(const std::string& output);

// The same in the last 64 KiB of these files; the first that has it.
std::optional<RankSignal> find_rank_signal_in_logs(const std::string& stdout_log, const std::string& stderr_log);

}  // namespace scalediag::launch
