// Recursive doubling among very many ranks, all of them at once: one round after another, over memory that is read in
// its order, in place of one rank after another, whose states are far apart.
//
// Nobody leaves it before all have come, and what a rank does in it depends on nothing but the messages of its
// partners. So it can be put off until all are there, and has the same times to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loggp/collectives/step.h"
#include "loggp/network/message_cost.h"
#include "loggp/simulator/communicators.h"
#include "loggp/simulator/memory/large_pages.h"

namespace scalediag::loggp {

// A rank's times and adapters, before it and after it. A line of the cache.
struct DoublingRank {
  double clock_s = 0;
  double computation_s = 0;  // in sum since the start of the run, as the next two
  double transfer_s = 0;
  double wait_s = 0;  // at collectives
  Adapter in, out;
};

class RecursiveDoubling {
 public:
  // Whether all ranks of the call exchange a message with one other in each of its rounds, and the messages are eager.
  static bool does(const CollectiveCall& call, CostModel& costs);

  // By rank of the communicator. They keep their memory.
  std::vector<DoublingRank, LargePages<DoublingRank>>& ranks() { return ranks_; }
  // Preconditions: does(call, costs), ranks() are all of the call's, and connections take no time. Returns the number
  // of messages.
  uint64_t run(const CollectiveCall& call, uint32_t communicator, const CommunicatorIndex& communicators,
               CostModel& costs);

 private:
  struct Sent {
    double posted_s, first_byte_s;
  };
  struct Round;
  // Of ranks from `begin` to `end`.
  void send(const Round& round, size_t begin, size_t end);
  void receive(const Round& round, size_t begin, size_t end);

  std::vector<DoublingRank, LargePages<DoublingRank>> ranks_;
  std::vector<Sent, LargePages<Sent>> sent_;  // in the round, by sender
};

}  // namespace scalediag::loggp
