// What `scalediag simulate` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/table.h"
#include "loggp/analysis.h"

namespace scalediag::cli {

struct SimulationOutcome {
  loggp::Simulation simulation;
  double elapsed_s = 0;
  double peak_memory_bytes = 0;
  double ideal_s = 0;
  double recorded_s = 0;  // what the run took that was recorded; 0: there was none
  loggp::Efficiencies efficiencies;
  std::vector<loggp::PathPart> path;
  std::vector<std::pair<std::string, double>> what_ifs;  // total_s
  std::vector<std::string> algorithms;                   // of each collective: which one and why; if it was asked for
};

nlohmann::ordered_json simulation_json(const SimulationOutcome& outcome);

// `top`: parts of the critical path to print, 0 for all.
std::string simulation_text(const SimulationOutcome& outcome, size_t top, const TableStyle& style);

}  // namespace scalediag::cli
