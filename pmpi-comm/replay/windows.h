// The windows of one-sided communication of a rank. Others put into them while the rank does something else: what they
// changed is logged as the differences to what the log has already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pmpi-comm/replay/blocks.h"
#include "pmpi-comm/replay/call_log.h"

namespace scalediag::pmpi {

// What an operation brings from a window of `target`, once it is complete there.
struct AwaitedResult {
  int target = 0;
  KeptBlocks blocks;
};

struct LoggedWindow {
  uintptr_t handle = 0;
  int64_t number = 0;  // in the order in which the rank made them
  char* memory = nullptr;
  size_t bytes = 0;
  bool is_mpis = false;  // MPI allocated the memory, and frees it with the window
  std::string logged;    // while recording: the memory as the log has it
  std::vector<AwaitedResult> awaited;
};

// Records the differences between `memory` and `logged`, which then are the same, or applies those of the log to
// `memory`. Both are of `bytes`. False: the log has differences beyond the end of the memory.
bool pass_differences(CallLog& log, char* memory, size_t bytes, std::string& logged);

}  // namespace scalediag::pmpi
