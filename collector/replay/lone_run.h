// A run of a program of which ranks are recorded and then run again with a core each, alone or a few at a time: what
// they compute where they do not take turns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/launch/notices.h"
#include "collector/launch/plan/program_request.h"
#include "core/result.h"

namespace scalediag::replay {

struct LoneRunRequest {
  launch::ProgramRequest program;
  int np = 0;
  // LISTs of ranks that are replayed at the same time, each with as many as there are cores at most; empty: all ranks,
  // one after another.
  std::vector<std::string> groups;
  int repeats = 1;                        // replays of each rank, of which the medians are taken
  std::string folder;                     // that it is recorded into; one that is there is replaced
  bool in_place = false;                  // as ReplayRequest::in_place
  std::optional<double> timeout_s;        // of all together
  std::optional<uint64_t> max_log_bytes;  // of a rank
};

// Leaves the recording, and its vectors (replay_session.h). Errors: as of record() and replay(); not all ranks could be
// recorded (kEnvironment). A recording that is not replayed whole is removed.
Status record_and_replay(const LoneRunRequest& request, launch::Notices& notices);

}  // namespace scalediag::replay
