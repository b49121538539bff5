// The trace of a number of ranks that nobody ran, from the equations of those that were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// One rank's trace; ranks are made one at a time, so that they need not be in memory. Computation is as
// of computation_hypothesis.h: what is computed before events that the rank does not have comes before its next one.
// Slots that are not regular are there with what explains them best where they were seen at the largest measured scale,
// and left out otherwise.
RankTrace scaled_rank(const ScalingModel& model, int ranks, int rank);

// Messages that are sent and not received, or received and not sent: their number, and one of them in words.
struct Unmatched {
  uint64_t messages = 0;
  std::string example;
};

// Counts in a fixed number of cells, by a hash of the message: memory does not grow with the ranks, and some of very
// many unmatched messages may cancel one another.
class MessageBalance {
 public:
  MessageBalance();
  void add(const RankTrace& trace);
  Unmatched unmatched() const;

 private:
  struct Cell {
    int64_t balance = 0;  // sent - received
    int from = 0, to = 0, tag = 0;
  };
  void steps(const RankTrace& trace, const std::vector<TraceStep>& steps, int64_t repeated);
  void count(const TraceCommunicator& communicator, int from, int to, int tag, int64_t balance);
  std::vector<Cell> cells_;
};

}  // namespace scalediag::loggp
