// The output of `scalediag simulate`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/table.h"
#include "loggp/analysis/analysis.h"
#include "loggp/analysis/grid_traffic.h"
#include "loggp/analysis/tolerance.h"
#include "loggp/representatives/replayed_computations.h"
#include "predict/sources/computation_interval.h"
#include "report/render/text/blocks_text.h"

namespace scalediag::report {

struct SimulationOutcome {
  loggp::Simulation simulation;
  double elapsed_s = 0;
  double peak_memory_bytes = 0;
  uint64_t rounds = 0;            // of each loop that were simulated after the first; 0: all
  double cpu_factor = 1;          // of computation: on the processor that is asked about / as it was measured
  double recorded_s = 0;          // duration of the recorded run; 0: there was none
  std::optional<double> ideal_s;  // on a network without cost; as the efficiencies, nothing where it was not simulated
  std::optional<loggp::Efficiencies> efficiencies;
  std::vector<loggp::PathPart> path;
  std::vector<std::pair<std::string, double>> what_ifs;              // total_s
  std::vector<std::pair<std::string, loggp::Tolerance>> tolerances;  // parameter of the network
  std::vector<std::string> algorithms;  // for each collective the algorithm and the reason, if
                                        // requested
  std::optional<AppliedBlocks> blocks;  // where block models replaced computations
  // Of a scaled trace: what it computes, and the total that the ends of its interval lead to; nothing: the simulation
  // took too long to be repeated for them.
  std::optional<predict::ScaledComputation> computation;
  std::optional<fit::Estimate> total_s;
  std::vector<std::string> doubts;               // sentences that are read before anything else
  std::optional<loggp::ReplayedShare> replayed;  // where ranks compute what replayed ones did
  std::optional<loggp::GridTraffic> directions;  // if requested
  std::vector<loggp::GridTraffic> grids;         // the same program in grids of as many ranks, the fastest first
  std::vector<std::string> without_grids;        // the reasons why some of them are left out
};

nlohmann::ordered_json simulation_json(const SimulationOutcome& outcome);

// `top` is the number of parts of the critical path to print, 0 for all.
std::string simulation_text(const SimulationOutcome& outcome, size_t top, const core::TableStyle& style);

}  // namespace scalediag::report
