// `scalediag replay`: recorded ranks run again, alone or side by side, each with the messages of its log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/launch/notices.h"
#include "collector/replay/replayed_rank.h"
#include "core/result.h"

namespace scalediag::replay {

struct ReplayRequest {
  std::string folder;        // of a recording
  std::string ranks;         // LIST; empty: all that were recorded
  bool in_place = false;     // the program writes into its folder; else into one that is laid over it and then removed
  std::string other_binary;  // in place of the recorded program; empty: that one, unchanged
  // All at the same time, each on a core of its own, instead of one after another; ranks that were recorded without the
  // messages of their node are so anyway, as many nodes at once as there are cores for.
  bool together = false;
  bool share_cores = false;  // also more ranks than cores at the same time, which take turns
  std::optional<double> timeout_s;
  // Replays of each rank, of which the medians are taken. Nothing: as many as repeat_replays() takes; in place one,
  // since the program changes its files.
  std::optional<int> repeats;
  bool passes_output_on = true;  // of the first of them
  // Replays each rank once more, profiled, and with counters "simulated" or "papi" as often as these need.
  bool kernels = false;
  std::string counters = "none";
};

// The profile of a rank's replay, below the recording's folder.
std::string profile_folder_of(const std::string& folder, int rank);

// Leaves <folder>/replay/rank000003.vector of each rank. Errors: the folder is no recording; one of the logs is damaged
// or refused (before any rank runs); more ranks together than cores where these are not to be shared (kUsage); the
// program, its arguments, input files or environment have changed; its folder cannot be covered here (kUsage); the
// replay departs from its log (kInput, with both calls); the program failed (kEnvironment).
Result<std::vector<ReplayedRank>> replay(const ReplayRequest& request, launch::Notices& notices);

}  // namespace scalediag::replay
