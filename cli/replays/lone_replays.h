// Ranks of a measured scale that `profile` replays with a core each (`replays/np0016` of the experiment's folder):
// ranks that shared cores compute longer (predict/sources/lone_ranks.h).
#pragma once

#include "collector/launch/plan/profile_request.h"
#include "collector/launch/session/profile_session.h"
#include "collector/launch/store/experiment_store.h"

namespace scalediag::cli {

// Replays ranks of the largest and of the smallest scale where they shared cores; does nothing where the folder has
// them, where ranks have several threads, or where there are parameters besides the number of processes. A note says
// why they are missing, which the experiment is valid without: they would take longer than the runs did, or the program
// cannot be replayed. The smallest scale may be missing without a word: the largest one's factor is taken there,
// too. A replay that failed is tried again only where this session made runs (`made_runs`).
void keep_lone_replays(const launch::ProfileRequest& request, const launch::ProfileSession& session,
                       launch::ExperimentStore& store, bool made_runs);

}  // namespace scalediag::cli
