// Where counts are to come from: --counters, --events and --simulate-ranks.
//
// auto takes PAPI where it counts. Where it does not, whether counts are simulated is settled when the timed runs have
// shown how long that would take (counting_passes.h): a pass that takes an hour is nobody's idea of a default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/profile_request.h"
#include "collector/counters/papi_probe.h"
#include "collector/counters/simulated_caches.h"
#include "core/result.h"

namespace scalediag::cli {

struct CounterChoice {
  // "papi", "simulated", "clock"; empty for auto where it is settled later: simulated or clock.
  std::string source;
  std::string reason;               // one sentence; of an unsettled choice, why PAPI was not taken
  std::vector<std::string> events;  // as asked for, one a name
  counters::EventPlan plan;         // of papi
  std::string valgrind;             // path; of simulated and unsettled choices
  counters::SimulatedCaches caches;
  std::optional<std::vector<int>> simulate_ranks;  // asked for, ascending; nothing: a few are chosen
  bool simulate_all = false;                       // --simulate-ranks all
};

// Errors: options that contradict each other or cannot be read (kUsage); what was asked for by name cannot be had on
// this machine (kEnvironment); an event that does not exist or count (kInput).
core::Result<CounterChoice> choose_counters(const ProfileRequest& request);

}  // namespace scalediag::cli
