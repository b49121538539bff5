// The profile of a region: what is modelled where a region is asked for instead of the whole program.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::core {

// The run's main loop; null where none was found.
const Region* main_loop_of(const Run& run);
// Whether the main loops of runs, null where a run has none, can be one loop: all go round as often; or their
// iterations are calls of one MPI operation, and the most are at most twice the fewest. With one rank a program may
// communicate in another loop, or in none.
bool can_be_one_loop(const std::vector<const Region*>& loops);

// The runs with the region's times in place of their own. With the wall clock its computation is a kernel and what it
// spends in MPI the operation kRegionMpi; with the CPU clock all its CPU time is one kernel, since what ranks burn in
// MPI while they wait is not told apart there. `name` is the region's, or its path ("main/solve"). Error (kInput): no
// run has the region, some complete run lacks it, or spent no time in it; main loops that are not one loop.
constexpr const char* kRegionMpi = "[MPI in the region]";
Result<Profile> profile_of_region(const Profile& profile, const std::string& name);

}  // namespace scalediag::core
