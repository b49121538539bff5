// Measures a machine: sizes, latencies, bandwidth, frequency, smallest CPI. Takes some ten seconds with all cores busy,
// in two rounds or, where they disagree, up to five (measured_rounds.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/counters/machine/cpu_use.h"
#include "core/experiment/machine.h"
#include "core/result.h"

namespace scalediag::counters {

struct MachineRequest {
  core::Host host;  // copied to the result; `cores` limits the cores that work at once (a container's quota)
  std::string scalediag_version;
  std::string created;
  std::function<void(const std::string&)> on_step;  // told what is being measured; may be empty
  bool accept_disagreement = false;                 // keep values that check_* would refuse, with a warning
};

// Errors (kEnvironment): no topology, no memory to measure in; see check_machine and check_others.
Result<core::Machine> measure_machine(const MachineRequest& request);

// Checks that the values can be those of a machine: everything could be measured, repeats and rounds agree (spread of
// at most kDisagreement, unless that is accepted), each level is slower than the one before. Adds warnings for noisy
// values (spread above core::kNoisySpread), for steps that lie further than a factor 1.5 from the sizes that hwloc
// gives, and for small pages. Error (kEnvironment): they cannot; it names the value.
constexpr double kDisagreement = 0.3;
Status check_machine(core::Machine& machine, bool accept_disagreement = false);

// Checks that others left the cores to us. `share` is the time that others took in all rounds but one: rounds that were
// disturbed in the same way agree, which proves nothing. Adds a warning from 2 % on, and where the share is unknown.
// Error (kEnvironment), unless that is accepted: above kDisturbance.
constexpr double kDisturbance = 0.2;
Status check_others(core::Machine& machine, const std::optional<OthersOnCpus::Share>& share,
                    bool accept_disturbance = false);

// Numbers of cores to measure bandwidth on: all of 1..n up to 4, else 1, 2, 4, 8, ... and n.
std::vector<int> core_counts(int n);

}  // namespace scalediag::counters
