// Counting in part for `profile --count-in-part`: one run is recorded, and representative ranks are replayed under
// valgrind, which counts few rounds of their main loops (collector/counters/callgrind/counted_parts.h).
#pragma once

#include "collector/launch/plan/profile_request.h"
#include "collector/launch/session/part_counting.h"
#include "collector/launch/store/experiment_store.h"

namespace scalediag::cli {

// What a session is offered; both arguments outlive it. Errors of it, for each configuration: no repeat has a trace; a
// rank has no loop whose rounds can be told, or almost all of the program would be counted; it has threads; the program
// cannot be recorded or replayed here. The recorded run and the replays of a configuration take no more than kMostCost
// times its runs, or some seconds, where that is possible: fewer rounds are counted then, or the replay ends with them.
constexpr double kMostCost = 1.5;
launch::PartCounting part_counting(const launch::ProfileRequest& request, const launch::ExperimentStore& store);

}  // namespace scalediag::cli
