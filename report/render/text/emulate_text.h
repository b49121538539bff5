// The output of `scalediag emulate`: what simulate prints, and what only a program that runs has.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/profile/emulated_times.h"
#include "core/text/table.h"
#include "loggp/emulation/region_times.h"
#include "report/render/text/simulate_text.h"

namespace scalediag::report {

struct EmulationOutcome {
  SimulationOutcome simulation;            // of the last emulation, as all that follows but totals_s
  std::vector<double> totals_s;            // of all emulations, in the order in which they ran
  std::vector<core::EmulatedSleep> sleep;  // by rank
  // Numbers of results that depended on which message came first.
  uint64_t by_network = 0;          // receives and probes: the message that comes first on the network
  uint64_t not_waited_for = 0;      // of those: a rank that polled or waited could still have sent an earlier one
  uint64_t by_this_machine = 0;     // receives, probes, tests and waits for some requests: as it was here
  std::string region;               // that is asked for; empty: none
  loggp::MarkedPart part;           // of it
  std::vector<std::string> marked;  // the names of all regions that ranks entered
};

nlohmann::ordered_json emulation_json(const EmulationOutcome& outcome);

// `top`: as of simulation_text().
std::string emulation_text(const EmulationOutcome& outcome, size_t top, const core::TableStyle& style);

// A warning of the ranks' own time that is in no emulated time; empty where there is little.
std::string not_emulated_text(const EmulationOutcome& outcome);

}  // namespace scalediag::report
