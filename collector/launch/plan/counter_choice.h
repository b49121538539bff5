// The choice of the source of counts: --counters, --events, --events-precise and --simulate-ranks.
//
// `auto` takes PAPI where it counts. Where it does not, the choice of a pass under valgrind is made after the timed
// runs, which show its duration (counting_passes.h): a pass that takes an hour must not be the default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/counters/papi/papi_probe.h"
#include "collector/launch/plan/profile_request.h"
#include "core/result.h"

namespace scalediag::launch {

struct CounterChoice {
  // "papi", "simulated", "clock"; empty for auto where simulated or clock is chosen later.
  std::string source;
  std::string reason;                              // one sentence; while undecided, the reason why PAPI was not taken
  std::vector<std::string> events;                 // as requested, one name each
  counters::EventPlan plan;                        // of papi
  std::string valgrind;                            // path; for simulated and undecided choices
  std::optional<std::vector<int>> simulate_ranks;  // as requested, ascending; empty: a few are chosen
  bool simulate_all = false;                       // --simulate-ranks all
};

// Errors: options that contradict each other or cannot be read (kUsage); a source requested by name is not available on
// this machine (kEnvironment); an event that does not exist or count (kInput).
Result<CounterChoice> choose_counters(const ProfileRequest& request);

}  // namespace scalediag::launch
