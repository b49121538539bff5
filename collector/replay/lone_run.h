// A run of a program of which some ranks are recorded and then run again alone, one after another: what they compute
// where no other rank shares their core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collector/launch/notices.h"
#include "collector/launch/plan/program_request.h"
#include "core/result.h"

namespace scalediag::replay {

struct LoneRunRequest {
  launch::ProgramRequest program;
  int np = 0;
  std::string ranks;                      // LIST; empty: all
  std::string folder;                     // that it is recorded into; one that is there is replaced
  bool in_place = false;                  // as ReplayRequest::in_place
  std::optional<double> timeout_s;        // of all together
  std::optional<uint64_t> max_log_bytes;  // of a rank
};

// Leaves the recording, and its vectors (replay_session.h). Errors: as of record() and replay(); not all ranks could be
// recorded (kEnvironment). A recording that is not replayed whole is removed.
core::Status replay_alone(const LoneRunRequest& request, launch::Notices& notices);

}  // namespace scalediag::replay
