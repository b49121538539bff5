// The requests whose outcome the log has still to get: what they receive, and where.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pmpi-comm/replay/blocks.h"
#include "pmpi-comm/replay/node_exchange.h"

namespace scalediag::pmpi {

// A message to a rank that is replayed at the same time.
struct MessageTo {
  int to = -1;  // rank in MPI_COMM_WORLD; -1: to another node
  NodeExchange::Channel channel;
  Block contents;
};

// What a receive waits for, as its call says.
struct ReceiveFrom {
  uint64_t comm = 0;  // LoggedComm::id
  int source = 0, tag = 0;
};

struct LoggedRequest {
  enum class Kind : uint8_t { kNothing, kMessage, kCollective };
  Kind kind = Kind::kNothing;  // as an event of a trace
  bool persistent = false;
  bool active = true;  // persistent ones: started, and not complete
  KeptBlocks blocks;
  // Of persistent ones: what they receive each time, or send.
  ReceiveFrom from;
  MessageTo sends;
  KeptBlocks sent;  // the block of `sends`
};

// While recording, MPI's handles of receives and collectives that are not complete; while replaying, ours of all
// requests.
class OpenRequests {
 public:
  LoggedRequest* find(uintptr_t handle) {
    const auto found = requests_.find(handle);
    return found != requests_.end() ? &found->second : nullptr;
  }
  void add(uintptr_t handle, LoggedRequest request, const RealMpi& mpi) {
    remove(handle, mpi);
    requests_.emplace(handle, std::move(request));
  }
  void remove(uintptr_t handle, const RealMpi& mpi) {
    const auto found = requests_.find(handle);
    if (found == requests_.end()) return;
    found->second.blocks.clear(mpi);
    found->second.sent.clear(mpi);
    requests_.erase(found);
  }

 private:
  std::unordered_map<uintptr_t, LoggedRequest> requests_;
};

}  // namespace scalediag::pmpi
