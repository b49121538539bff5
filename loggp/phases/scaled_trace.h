// The trace of a number of ranks that nobody ran, from the equations of those that were.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// One rank's trace; ranks are made one at a time, so that they need not be in memory. Computation is the mean of all
// ranks before each event, as a power of P. Slots that are not regular are there with what explains them best where
// they were seen at the largest measured scale, and left out otherwise.
RankTrace scaled_rank(const ScalingModel& model, int ranks, int rank);

// What the measured scales leave open at this number of ranks, a sentence each: partners for which several equations
// hold at all of them that differ there (the trace has those of the first), and bytes that are no whole number there.
std::vector<std::string> left_open(const ScalingModel& model, int ranks);

// Messages that are sent and not received, or received and not sent: the number, and the first of them in words.
struct Unmatched {
  uint64_t messages = 0;
  std::string first;
};
class MessageBalance {
 public:
  void add(const RankTrace& trace);
  Unmatched unmatched() const;

 private:
  // sender, receiver, tag, members and ordinal of the communicator
  struct Key {
    int from, to, tag;
    std::vector<int> members;
    uint64_t ordinal;
    auto operator<=>(const Key&) const = default;
  };
  void steps(const RankTrace& trace, const std::vector<TraceStep>& steps, int64_t repeated);
  std::map<Key, int64_t> balance_;  // sent - received
};

}  // namespace scalediag::loggp
