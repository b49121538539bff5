// The profile of a region: what is modelled where a region is asked for instead of the whole program.
#pragma once

#include <string>

#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::core {

// The runs with the region's times in place of their own. With the wall clock its computation is a kernel and what it
// spends in MPI the operation kRegionMpi; with the CPU clock all its CPU time is one kernel, since what ranks burn in
// MPI while they wait is not told apart there. `name` is the region's, or its path ("main/solve"). Error (kInput): no
// run has the region, or some complete run lacks it.
constexpr const char* kRegionMpi = "[MPI in the region]";
Result<Profile> profile_of_region(const Profile& profile, const std::string& name);

}  // namespace scalediag::core
