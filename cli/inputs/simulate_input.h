// INPUT of `scalediag simulate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/analysis/analysis.h"
#include "loggp/representatives/replayed_computations.h"
#include "predict/evidence/copied_traces.h"
#include "predict/sources/computation_interval.h"
#include "report/render/text/blocks_text.h"

namespace scalediag::cli {

struct SimulationSource {
  std::string path;
  double flops_per_s = 1e9;              // of a rank, for a time-independent trace
  int np = 0;                            // selects one of an experiment's runs; 0: the only one
  std::string run;                       // the same, by its id; empty: not given
  std::string computation;               // of recorded traces: "replay:DIR", that of replayed ranks; empty: their own
  std::vector<std::string> points = {};  // of a scaled trace: as of read_scaled_traces()
  std::string blocks = {};  // of recorded traces: a file of block models that replace computations; empty: none
  double block_factor = 1;  // with `blocks`: of the computations that no model replaces
  report::AppliedBlocks* applied = nullptr;  // with `blocks`: takes what was replaced
  uint64_t most_rounds = UINT64_MAX;         // of a scaled trace: as ScaledTraces takes it
  // Of a scaled trace that has computation of its own: takes that, with its interval.
  std::optional<predict::ScaledComputation>* scaled = nullptr;
  double iterations = 0;  // of a scaled trace: as of predict::copied_traces()
  // Takes the copies that are simulated where equations do not explain the program; null: that is an error.
  std::optional<predict::CopiedTraces>* copied = nullptr;
  // With `computation`, of recorded traces: takes the share of it that is replayed.
  std::optional<loggp::ReplayedShare>* replayed = nullptr;
};

// A folder with recorded traces, or: a GOAL schedule, a time-independent trace, or a file that names one trace a rank,
// distinguished by their first words. Errors: it cannot be read, is none of these, or has an error (kInput); as of
// read_replayed(), and vectors that are not of these traces.
Result<loggp::SimulationInput> read_simulation_input(const SimulationSource& source);

// The same; but where none of a folder's runs has source.np ranks, their trace is made from those of fewer: from
// equations, or as copies where these leave messages without a partner. Warns of that. Errors: also those of
// read_scaled_traces(), and of operations that cannot be simulated.
Result<loggp::SimulationInput> read_or_scale_simulation_input(const SimulationSource& source);

// The files that the input names, besides itself; empty where it names none or cannot be read.
std::vector<std::string> files_of_list(const std::string& path);

}  // namespace scalediag::cli
