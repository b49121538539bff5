// Runs the program that measures messages, for `scalediag network`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/launch/program/launcher.h"
#include "core/result.h"

namespace scalediag::launch {

struct NetworkProbe {
  std::string program;
  Launcher launcher;
  MpiFlavour flavour = MpiFlavour::kUnknown;
  int ranks = 2;
  double budget_s = 0.6;     // seconds for one size
  bool others_wait = false;  // in MPI, instead of sleeping
};

struct ProbeRequest {
  std::vector<uint64_t> sizes;
  uint64_t seed = 1;
  uint64_t largest_sync = 0;  // 0: S_sync and overheads are not measured
};

// `launcher`, `mpi` and `program` as on the command line. Empty ones stand for the first MPI that is installed, its
// launcher, and the probe that was built for it. Errors: no MPI, an unknown one, no probe for it (kUsage,
// kEnvironment).
core::Result<NetworkProbe> find_network_probe(const std::string& launcher, const std::string& mpi,
                                              const std::string& program);

// The program's output, which loggp::parse_measurement() reads. Errors (kEnvironment): it cannot be started, fails
// (with the end of its output) or is interrupted.
core::Result<std::string> run_network_probe(const NetworkProbe& probe, const ProbeRequest& request);

}  // namespace scalediag::launch
