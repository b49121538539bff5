// The machine that measures, with the fields of experiment.json.
#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace scalediag::launch {

// Name, kernel, CPU model, and the resources of this process and its ranks: memory, or a control group's limit if that
// is lower; cores, which are those of the affinity mask, or a control group's quota if that is lower, and inside a
// Slurm allocation all its CPUs.
core::Host read_host();

// Sum of Slurm's compressed list "16(x4),8": 72. 0 if it cannot be read.
int slurm_cpus(const std::string& cpus_per_node);

// The present time in UTC: "2024-05-31T12:00:00Z".
std::string utc_now();

}  // namespace scalediag::launch
