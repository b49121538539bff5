// `scalediag replay`: recorded ranks run again, alone or side by side, each with the messages of its log.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/notices.h"
#include "collector/replay/replay_request.h"
#include "collector/replay/replayed_rank.h"
#include "core/result.h"

namespace scalediag::replay {

struct Replayed {
  std::vector<ReplayedRank> ranks;
  std::vector<std::string> differences;  // of the place from the one that recorded, each a sentence
};

// The profile of a rank's replay.
std::string profile_folder_of(const ReplayRequest& request, int rank);

// Leaves replay/rank000003.vector of each rank in the recording or in ReplayRequest::output. Errors: the folder is no
// recording; one of the logs is damaged or refused (before any rank runs); more ranks together than cores where these
// are not to be shared (kUsage); ranks that are not replayed now were replayed on another processor, with another
// build or other variables (kInput); the program, its input files or the number of threads are not the recorded ones,
// or are not there; its folder cannot be covered here (kUsage); what is replayed cannot be written (kEnvironment); the
// replay departs from its log (kInput, with both calls); the program failed (kEnvironment).
Result<Replayed> replay(const ReplayRequest& request, launch::Notices& notices);

}  // namespace scalediag::replay
