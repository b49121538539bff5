// The MPI of a program that does not show it before it runs: a script, an interpreter such as Python, a program behind
// a wrapper (bash -c, env, taskset, numactl, a container), one that loads MPI itself.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/program/mpi_detection.h"
#include "core/result.h"

namespace scalediag::launch {

struct ProbeOptions {
  std::string collector;     // libscalediag.so
  double time_limit_s = 60;  // until MPI_Init is called
};

// Starts the command once, as one process without a launcher, up to its first call of MPI_Init, which tells which MPI
// library it has loaded and is not carried out. The command's output is thrown away; what it does before MPI_Init it
// does once more. Errors: it ended or the time passed without a call of MPI_Init (kInput); its MPI library is not known
// (kInput), with the library's path and what it says that it is; it starts a launcher itself (kUsage); a Python program
// cannot import what it needs, or it cannot be started (kEnvironment).
Result<MpiUse> probe_mpi(const std::vector<std::string>& command, const ProbeOptions& options);

}  // namespace scalediag::launch
