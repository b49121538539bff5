// The checks of doctor that differ between a login node, a job and a machine by itself.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/host/finding.h"
#include "core/experiment/experiment.h"

namespace scalediag::launch {

// The kind of this machine: one inside an allocation, a login node of a batch system, or neither (empty).
std::vector<Finding> node_finding();

// The launchers that are there; inside an allocation those that start the ranks of each MPI that scalediag was built
// for, by trial. On a login node none is needed.
Finding launchers_finding();

// The MPI of a program, and its launcher, which is tried inside an allocation.
Finding program_finding(const std::string& program, const core::Host& host);

}  // namespace scalediag::launch
