// Runs the program that measures messages, for `scalediag network`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/launch/host/built_program.h"
#include "core/result.h"

namespace scalediag::launch {

struct NetworkProbe : BuiltProgram {
  int ranks = 2;
  bool others_wait = false;  // in MPI, instead of sleeping
};

struct ProbeRequest {
  std::vector<uint64_t> sizes;
  uint64_t seed = 1;
  uint64_t largest_sync = 0;             // 0: S_sync and overheads are not measured
  int passes = 1;                        // over the sizes
  double pass_budget_s = 0.2;            // seconds for a size in a pass, where messages take less
  double most_s = 1e6;                   // seconds after which no other size is begun, from when the ranks have started
  std::optional<double> timeout_s = {};  // for all of it, with the start of the ranks
  const InterruptionGuard* interruption = nullptr;  // as of BuiltProgramRun
  // Called now and then with the seconds since the beginning; n_measured() counts the sizes that were measured so far.
  std::function<void(double elapsed_s, const std::function<size_t()>& n_measured)> on_progress = {};
};

// As of find_built_program().
Result<NetworkProbe> find_network_probe(const std::string& launcher, const std::string& mpi,
                                        const std::string& program);

// The program's output, which loggp::parse_measurement() reads. Errors: as of run_built_program().
Result<std::string> run_network_probe(const NetworkProbe& probe, const ProbeRequest& request);

}  // namespace scalediag::launch
