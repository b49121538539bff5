// The kernels of a replayed rank: the replay is profiled as any run of one process, with the profiler in front of the
// library that answers MPI, so that what is answered counts as MPI.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/launch/notices.h"
#include "collector/launch/plan/profile_request.h"
#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::replay {

// A profile of one run of `request`, whose folder is replaced, in a process with these environment variables as well;
// those of scalediag-rank say what is replayed. Errors: as of prepare_profile(); the run or its counting failed
// (kEnvironment).
Status profile_replay(const launch::ProfileRequest& request, const std::map<std::string, std::string>& environment,
                      launch::Notices& notices);

// The functions in that profile, each with the values of this rank.
Result<std::vector<core::Kernel>> replayed_kernels(const std::string& folder);

}  // namespace scalediag::replay
