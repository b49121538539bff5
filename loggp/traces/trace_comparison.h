// Two traces held against each other, event by event and in order: operation, peer, tag, bytes, requests and the
// members of the communicator. Computation is not compared.
//
// Events that differ only in bytes are counted apart: bytes can depend on a program's data while it still talks to the
// same ranks in the same order.
//
// After a difference the comparison goes on at the nearest place behind it where a few events in a row are the same
// in both, so that one event too many is one difference and not that of all events after it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

struct EventCounts {
  uint64_t a = 0, b = 0, identical = 0;
  uint64_t but_for_bytes = 0;  // those that are identical but for their bytes

  uint64_t events() const { return a > b ? a : b; }  // of the trace that has more of them
  double share() const { return share_of(identical); }
  double share_but_for_bytes() const { return share_of(identical + but_for_bytes); }

 private:
  double share_of(uint64_t part) const {
    return events() > 0 ? static_cast<double>(part) / static_cast<double>(events()) : 1;
  }
};

struct TraceDifference {
  uint32_t rank = 0;
  uint64_t event = 0;              // its number in A, from 0, repetitions counted
  std::optional<TraceEvent> a, b;  // nothing: the trace has ended
  std::string a_routine, b_routine;
};

struct TraceComparison {
  EventCounts all;
  std::vector<EventCounts> ranks;
  std::map<std::string, EventCounts> operations;    // by routine
  std::optional<TraceDifference> first_difference;  // of the lowest rank that has one
};

// Error (kInput): the traces are of different numbers of ranks.
Result<TraceComparison> compare_traces(const std::vector<RankTrace>& a, const std::vector<RankTrace>& b);

}  // namespace scalediag::loggp
