// What the replay of a rank found.
#pragma once

#include <cstdint>

namespace scalediag::replay {

struct ReplayedRank {
  int rank = 0;
  double computation_s = 0;  // CPU time between calls of MPI
  uint64_t calls = 0;        // of MPI, as the log has them
  uint64_t log_bytes = 0;
  double elapsed_s = 0;  // of the replay, with the start of MPI
};

}  // namespace scalediag::replay
