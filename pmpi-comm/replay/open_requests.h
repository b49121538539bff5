// The requests whose outcome the log has still to get: what they receive, and where.
#pragma once

#include <array>
#include <cstddef>
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

// While recording, MPI's handles of persistent requests, and of receives and collectives that are not complete; while
// replaying, ours of all requests.
class OpenRequests {
 public:
  using Kind = LoggedRequest::Kind;

  // While recording: one that the log has nothing to get of, whose handle MPI may give others as well.
  void add_bare(uintptr_t handle, Kind kind) { ++bare_[handle][static_cast<size_t>(kind)]; }
  // What one of that handle is, which is then forgotten.
  Kind take_bare(uintptr_t handle) {
    const auto found = bare_.find(handle);
    if (found == bare_.end()) return Kind::kNothing;
    for (const Kind kind : {Kind::kMessage, Kind::kCollective, Kind::kNothing}) {
      uint64_t& n = found->second[static_cast<size_t>(kind)];
      if (n == 0) continue;
      --n;
      return kind;
    }
    return Kind::kNothing;
  }

  LoggedRequest* find(uintptr_t handle) {
    const auto found = requests_.find(handle);
    return found != requests_.end() ? &found->second : nullptr;
  }
  bool receives(uintptr_t handle) {
    LoggedRequest* const request = find(handle);
    return request != nullptr && !request->blocks.empty();
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
  std::unordered_map<uintptr_t, std::array<uint64_t, 3>> bare_;  // how many of each kind
};

}  // namespace scalediag::pmpi
