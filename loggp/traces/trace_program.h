// A recorded trace as a program to simulate. Loops stay loops: memory grows with the number of different events, not of
// all.
//
//   an event              becomes
//   Send, Recv            the same; a Ssend waits like a Send of its size, a buffered send for nothing
//   Sendrecv              a receive and a send that begin together, and waiting for both
//   Wait, Test that found its requests complete: waiting for those requests
//   nonblocking collective the blocking one, where it was seen to be complete; it overlaps with nothing
//   Gatherv, Scatterv, Alltoallv, Alltoallw: their messages, all at once
//   making a communicator Allreduces of 8 bytes: six with Open MPI, which agrees three times by a reduction and a
//                         broadcast (4.1, 4 ranks: 11 to 12 messages' time, 12 by this), else one
//
// Before each event there is a computation, the mean of those recorded before its occurrences.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/program.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

class TraceProgram : public Program {
 public:
  // `traces` are those of all ranks in order. Error (kInput): a trace is not complete, or has an event that cannot be
  // replayed; named with rank, event and routine.
  static core::Result<TraceProgram> of(const std::vector<RankTrace>& traces);

  int ranks() const override { return static_cast<int>(ranks_.size()); }
  Op next(int rank, uint64_t& position) const override;
  const std::vector<std::string>& labels() const override { return labels_; }
  // The different operations of a rank, each once however often it is executed.
  const std::vector<Op>& distinct_operations(int rank) const { return ranks_[static_cast<size_t>(rank)].ops; }
  // Seconds from the end of MPI_Init to the beginning of MPI_Finalize, of the rank that took longest.
  double recorded_s() const { return recorded_s_; }
  // Seconds that the computations in loops deviate from their means, in sum (none by more than the mean itself), of the
  // rank with the largest sum: the part of the ranks' timing that the simulation does not know.
  double varying_s() const { return varying_s_; }

 private:
  // Some operations in a row, or a loop.
  struct Entry {
    uint64_t begin = 0;  // operations before it in its body
    uint32_t first_op = 0;
    uint32_t body = 0;   // loops
    uint64_t count = 0;  // loops; 0: operations
  };
  struct Body {
    std::vector<Entry> entries;
    uint64_t length = 0;
  };
  struct Rank {
    std::vector<Op> ops;
    std::vector<Body> bodies;  // the last one is the whole
    // The row of operations that was returned last: most calls ask for the one after.
    mutable uint64_t row_begin = 0, row_end = 0;
    mutable uint32_t row_first_op = 0;
  };
  class Builder;

  std::vector<Rank> ranks_;
  std::vector<std::string> labels_ = {""};
  double recorded_s_ = 0;
  double varying_s_ = 0;
};

// The number of the simulation's operations for an event with these times before it: the event numbers in errors of the
// simulation count them.
uint64_t operations_of(const TraceEvent& event, const TraceTimes& before);

}  // namespace scalediag::loggp
