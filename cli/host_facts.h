// The machine that measures, as experiment.json records it.
#pragma once

#include <string>

#include "core/experiment.h"

namespace scalediag::cli {

// Name, kernel, CPU model, memory, and the cores that this process and its ranks may use: the affinity mask, less where
// the container's CPU quota is below it; inside a Slurm allocation all its CPUs.
core::Host read_host();

// Sum of Slurm's compressed list "16(x4),8": 72. 0 if it cannot be read.
int slurm_cpus(const std::string& cpus_per_node);

// Now, in UTC: "2024-05-31T12:00:00Z".
std::string utc_now();

}  // namespace scalediag::cli
