// The results of simulating a program, as `simulate` and `emulate` print them: its time, its critical path, what-ifs,
// tolerances, a timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/analysis/analysis.h"
#include "loggp/network/network.h"
#include "report/render/text/simulate_text.h"

namespace scalediag::cli {

struct Scenario {
  std::string text;
  double compute = 1;
  loggp::NetworkFactors network;
};
// Of --what-if. Error (kUsage): one is not NAME=FACTOR, separated by commas.
Result<std::vector<Scenario>> parse_scenarios(const std::vector<std::string>& texts);
// Whether --tolerance knows the parameter.
bool is_network_factor(const std::string& name);

struct SimulationDemands {
  std::vector<Scenario> scenarios;
  std::vector<std::string> tolerances;  // names of factors
  std::string timeline;                 // a file; empty: none
  double noise = 0;
  uint64_t seed = 1;
  double compute_factor = 1;  // of everything, before that of a scenario
  double device_factor = 1;   // of waits for devices
  bool explain = false;       // the algorithms of collectives
  uint64_t rounds = 0;        // of --rounds, with which the input was made; 0: all
  // Of a scaled trace: what it computes. The ends of that interval are simulated, too, as long as one simulation takes
  // no more than kLongestForIntervalS.
  std::optional<predict::ScaledComputation> computation;
  std::optional<loggp::ReplayedShare> replayed;  // the same of replayed ranks
};
constexpr double kLongestForIntervalS = 30;

// Simulates `input` as often as the demands need. Prints warnings. Errors: as of loggp::simulate(); the timeline cannot
// be written.
Result<report::SimulationOutcome> simulation_outcome(const loggp::SimulationInput& input, const loggp::Network& network,
                                                     const SimulationDemands& demands);

// The same where `input` was simulated before, with this result, and has only the different operations of each rank
// left: without all that needs another simulation.
Result<report::SimulationOutcome> outcome_without_operations(const loggp::SimulationInput& input,
                                                             const loggp::Network& network,
                                                             const loggp::Simulation& simulation,
                                                             const SimulationDemands& demands);

// Warns of messages that are larger than their receives.
void warn_of_truncated(const loggp::Simulation& simulated);

}  // namespace scalediag::cli
