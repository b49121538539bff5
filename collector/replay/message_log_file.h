// A rank's message log as a file (core/raw/message_log.h), checked before it is replayed. Nothing in it is trusted:
// every chunk has a checksum, and a replay starts only with a log that is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/raw/message_log.h"
#include "core/result.h"

namespace scalediag::replay {

struct MessageLog {
  message_log::Identity identity;
  uint64_t calls = 0;
  uint64_t events = 0;    // that a trace of these calls has
  double recorder_s = 0;  // elapsed time in calls, without that in MPI
  uint64_t file_bytes = 0;
  std::string refused;  // why it cannot be replayed; empty: it can
};

// Errors (kInput), each with the file's name: it cannot be read, is no message log, is of another version or byte
// order, is damaged (with the place), or ends early (with the reason where the file has it).
Result<MessageLog> check_message_log(const std::string& path);

// The ranks that have a log in the folder, ascending.
std::vector<int> logged_ranks(const std::string& folder);

// The computation before each event of MPI and after the last one, in seconds, as a replay left it
// (docs/replay.md has the format). Error (kInput): the file is not such a vector of this rank.
Result<std::vector<double>> read_vector(const std::string& path, int rank);
Status write_vector(const std::string& path, int rank, const std::vector<double>& computation_s);
// The medians of several replays, event by event, with how far two of these are apart in the mean and the sum of each.
// Returns the medians. Precondition: there are several `replays`, of one length.
Result<std::vector<double>> write_medians(const std::string& path, int rank,
                                          const std::vector<std::vector<double>>& replays);

}  // namespace scalediag::replay
