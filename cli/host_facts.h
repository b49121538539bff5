// The machine that measures, as experiment.json records it.
#pragma once

#include <string>

#include "core/experiment.h"

namespace scalediag::cli {

// Name, kernel, CPU model, and what this process and its ranks may use: memory, less where a control group's limit is
// below it; cores, that is the affinity mask, less where a control group's quota is below it, and inside a Slurm
// allocation all its CPUs.
core::Host read_host();

// Sum of Slurm's compressed list "16(x4),8": 72. 0 if it cannot be read.
int slurm_cpus(const std::string& cpus_per_node);

// Now, in UTC: "2024-05-31T12:00:00Z".
std::string utc_now();

}  // namespace scalediag::cli
