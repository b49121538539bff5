// The processor that a program is simulated or emulated for: --cpu-factor and --machine.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/simulation_outcome.h"
#include "core/result.h"

namespace scalediag::cli {

struct ProcessorOptions {
  double cpu_factor = 1;
  std::string machine;  // a file of `scalediag machine`; empty: none
};
void add_processor_options(CLI::App& command, ProcessorOptions& options);

struct TargetProcessor {
  double factor = 1;  // of every computation
  // With --machine: computation that waits for memory all the time, by its latency and by its bandwidth.
  std::vector<Scenario> waiting_for_memory;
};

// The factor of --machine is that of instructions that wait for nothing: their time there, by that where the
// computations were measured. That is this machine, which is measured if it is not known, or that of the experiment
// folder `recorded_in` (empty: none). Errors: the file cannot be read, or lacks what is needed; the folder's machine is
// not known, or its computations are another processor's already (kInput); as of measure_this_machine().
Result<TargetProcessor> target_processor(const ProcessorOptions& options, const std::string& recorded_in);

}  // namespace scalediag::cli
