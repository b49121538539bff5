// How much a rank receives, by its trace: what a log of its messages takes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "loggp/traces/rank_trace.h"

namespace scalediag::loggp {

// The part of a run that is recorded, and what of it is left out. Events are counted from 0.
struct RecordedPart {
  uint64_t events = UINT64_MAX;  // the first ones
  std::vector<std::pair<uint64_t, uint64_t>>
      only_small;  // from, up to: contents of more than `small_bytes` are left out
  uint64_t small_bytes = 0;
  int first_rank = 0, end_rank = 0;  // messages from `first_rank` up to the one before `end_rank` are left out
};

// Bytes of messages and of results of collectives. A receive counts as the room that it has; what one-sided accesses
// and MPI-IO bring does not count.
uint64_t received_bytes(const RankTrace& trace, const RecordedPart& part);

}  // namespace scalediag::loggp
