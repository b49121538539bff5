// The output of `scalediag emulate`: what simulate prints, and what only a program that runs has.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text/table.h"
#include "loggp/emulation/region_times.h"
#include "report/render/text/simulate_text.h"

namespace scalediag::report {

// Of a rank, while its CPU time did not pass.
struct EmulatedSleep {
  double told_s = 0;     // is in its computation
  double waited_s = 0;   // between tests that found nothing; not counted
  double blocked_s = 0;  // for files, locks or other processes; not counted
};

struct EmulationOutcome {
  SimulationOutcome simulation;      // of the last emulation, as all that follows but totals_s
  std::vector<double> totals_s;      // of all emulations, in the order in which they ran
  double cpu_factor = 1;             // of computation
  std::vector<EmulatedSleep> sleep;  // by rank
  // The results that depended on which message came first.
  uint64_t asked = 0;               // receives and probes that took the message that comes first on the network
  uint64_t not_waited = 0;          // of those: an earlier one could still have been sent by a rank that polls or waits
  uint64_t here = 0;                // receives, probes, tests and waits for some requests that this machine decided
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
