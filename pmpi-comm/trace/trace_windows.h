// A window of a rank that is traced: its epochs, and the accesses that are not known to be complete.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "pmpi-comm/trace/trace_requests.h"

namespace scalediag::pmpi {

struct TraceWindow {
  static constexpr int kAllRanks = -1;

  uint32_t communicator = 0;  // of its own, with the members of the one that it was made from
  // One request for all accesses that the same call waits for: by rank in epochs of locks, else of kAllRanks.
  std::map<int, PartOfCall> open = {};
  std::vector<uint32_t> started = {}, posted = {};  // the groups of Win_start and Win_post, as ranks of MPI_COMM_WORLD
  std::set<int> locked = {};
  bool all_locked = false;

  bool is_locked(int rank) const { return all_locked || locked.count(rank) > 0; }
};

}  // namespace scalediag::pmpi
