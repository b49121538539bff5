// What the replay of a rank found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace scalediag::replay {

struct ReplayedRank {
  int rank = 0;
  int interrupted_by = 0;    // the signal that ended the replay, which then found nothing
  double computation_s = 0;  // CPU time between calls of MPI; of several replays the median of each event
  int repeats = 1;           // replays that were measured
  double error = 0;          // of several: standard error of the median of their sums, relative to it
  // Of logs with the first iterations of main loops (partial_log.h): of all these loops; 0 iterations in others.
  uint64_t iterations = 0, recorded_iterations = 0;
  size_t loops = 0;
  double repeated_s = 0, traced_s = 0;  // of computation_s
  std::optional<double> apart;          // of the loop whose iterations are farthest apart; nothing: it is not known
  double most_apart = 0;                // beyond which `record` would have recorded all of them
  uint64_t calls = 0;                   // of MPI, as the log has them
  uint64_t log_bytes = 0;
  double elapsed_s = 0;       // of the replay, with the start of MPI
  double program_s = 0;       // of it: from the end of MPI_Init to the end of the log
  double log_ahead_s = 0;     // to unpack the log before the program begins; 0: it is unpacked in the calls
  double log_in_calls_s = 0;  // of program_s, to unpack it there; 0: it is unpacked ahead
};

}  // namespace scalediag::replay
