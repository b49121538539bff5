// Recorded ranks replayed under valgrind's callgrind, which counts parts of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::replay {

struct CountedRank {
  int rank = 0;
  std::string steps;  // what is counted, as core/raw/counted_steps.h says it
};

struct CountedReplayRequest {
  std::string folder;  // of a recording on this machine, absolute
  std::vector<CountedRank> ranks;
  std::string valgrind;
  std::vector<std::string> valgrind_options;
  std::string output;               // a folder, absolute
  std::optional<double> timeout_s;  // of each replay
};

// Replays the ranks, as many at the same time as there are cores, each in a folder that is laid over the program's.
// `output` gets "rank000003.PID.callgrind.N", a file for each part. Returns the signal that interrupted it; 0: none
// did. Errors: as of open_recording(); the program's folder cannot be covered (kUsage); a replay departs from its log
// (kInput) or fails (kEnvironment).
Result<int> count_replays(const CountedReplayRequest& request);

}  // namespace scalediag::replay
