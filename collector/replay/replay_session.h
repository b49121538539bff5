// `scalediag replay`: recorded ranks run again, each alone, with the messages of its log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::replay {

struct ReplayRequest {
  std::string folder;     // of a recording
  std::string ranks;      // LIST; empty: all that were recorded
  bool in_place = false;  // the program writes into its folder; else into one that is laid over it and then removed
  std::string other_binary;  // in place of the recorded program; empty: that one, unchanged
  std::optional<double> timeout_s;
  bool passes_output_on = true;
};

struct ReplayedRank {
  int rank = 0;
  double computation_s = 0;  // CPU time between calls of MPI
  uint64_t calls = 0;        // of MPI, as the log has them
  uint64_t log_bytes = 0;
  double elapsed_s = 0;  // of the replay, with the start of MPI
};

// Replays the ranks one after another. Leaves <folder>/replay/rank000003.vector of each. Errors: the folder is no
// recording; its log is damaged or refused; the program, its arguments, input files or environment have changed; its
// folder cannot be covered here (kUsage); the replay departs from its log (kInput, with both calls); the program failed
// (kEnvironment).
core::Result<std::vector<ReplayedRank>> replay(const ReplayRequest& request);

}  // namespace scalediag::replay
