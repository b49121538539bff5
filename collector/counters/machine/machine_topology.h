// Cores and data caches as hwloc reports them.
#pragma once

#include <vector>

#include "core/experiment/machine.h"
#include "core/result.h"

namespace scalediag::counters {

struct MachineTopology {
  std::vector<int> cpus;                   // a CPU of every core that this process may use, in the system's numbers
  std::vector<core::MachineCache> caches;  // of the first of them, the smallest first; sizes and sharing only
  int last_level_instances = 1;            // on those cores
  double line_bytes = 64;
};

// `caches` is empty if the system does not tell them (some virtual machines and containers). Error
// (kEnvironment): hwloc cannot read the topology at all.
Result<MachineTopology> read_topology();

}  // namespace scalediag::counters
