// Counting in part for `profile --count-in-part`: one run is recorded, and representative ranks are replayed under
// valgrind, which counts few rounds of their main loops (collector/counters/callgrind/counted_parts.h).
#pragma once

#include "collector/launch/plan/profile_request.h"
#include "collector/launch/session/part_counting.h"
#include "collector/launch/store/experiment_store.h"

namespace scalediag::cli {

// What a session is offered; both arguments outlive it. Errors of it, for each configuration: no repeat has a trace; a
// rank has no loop whose rounds can be told; it has threads; counting would take longer than it may, or hardly less
// than counting whole; the program cannot be recorded or replayed here. As many rounds are counted as there is time
// for.
launch::PartCounting part_counting(const launch::ProfileRequest& request, const launch::ExperimentStore& store);

}  // namespace scalediag::cli
