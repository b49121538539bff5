// The times of MPI calls on an emulated network, beside the raw files of the run, whose own times of calls are those of
// ranks that shared cores: runs/<id>/emulated.json, which `scalediag emulate` writes and every merge reads.
//
//   communication     the emulated elapsed time of calls; an operation's sites share it by their calls of each size
//   computation       what was emulated, between calls
//   kernels           the computation, shared as the CPU time that was sampled here; what slept of it is "[off-CPU]"
//   total             the sum of communication and computation: from the end of MPI_Init to MPI_Finalize
//   regions           the emulated elapsed time of those that the main thread entered
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::core {

// Calls of one operation on communicators of one size (0: it has none) with one power-of-two class of message sizes, of
// which `bytes` is one.
struct EmulatedCalls {
  std::string operation;
  int communicator_size = 0;
  double bytes = 0;
  std::vector<double> wall_s;     // by rank
  std::vector<double> blocked_s;  // by rank: the part in which it waited for others to send, receive or come
  double longest_s = 0;           // of one operation
};

// A region that the main thread entered. Times are by rank.
struct EmulatedRegion {
  std::string parent, name;  // as the program named them; core::Region says how they are joined
  std::vector<double> count, elapsed_s;
  std::vector<double> communication_s;  // the part in calls
};

// Of a rank, while its CPU time does not pass.
struct EmulatedSleep {
  double told_s = 0;     // is in its computation
  double waited_s = 0;   // between tests that found nothing; not counted
  double blocked_s = 0;  // outside of calls, for files, locks or other processes; not counted
};

struct EmulatedTimes {
  Emulated on;
  std::vector<double> computation_s;  // by rank: outside of calls, with the factor and with sleep
  std::vector<double> slept_s;        // by rank: the part of it that slept
  std::vector<EmulatedCalls> calls;
  std::vector<EmulatedRegion> regions;
};

Status write_emulated_times(const EmulatedTimes& times, const std::string& run_folder);
// Nothing where the run was not emulated. Error (kInput): the file is damaged, or has not `np` ranks.
Result<std::optional<EmulatedTimes>> read_emulated_times(const std::string& run_folder, int np);

// "emulated on the network X: ..."
std::string description(const Emulated& on);

// Precondition: the run's clock is kCpu, and `times` has its ranks. What was timed on this machine's clock is left out:
// regions of other threads, parallel regions, the main loop, files, and what lies before the end of MPI_Init and after
// the begin of MPI_Finalize. Where sampled and emulated computation differ by more than samples do by chance, the run
// has a warning.
void put_emulated_times(const EmulatedTimes& times, Run& run);

}  // namespace scalediag::core
