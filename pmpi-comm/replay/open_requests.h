// The requests whose outcome the log has still to get: what they receive, and where.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pmpi-comm/replay/blocks.h"

namespace scalediag::pmpi {

struct LoggedRequest {
  enum class Kind : uint8_t { kNothing, kMessage, kCollective };
  Kind kind = Kind::kNothing;  // as an event of a trace
  bool persistent = false;
  bool active = true;  // persistent ones: started, and not complete
  std::vector<Block> blocks;
  std::vector<uintptr_t> kept_types;  // ours, since the application may free its own before the request is complete
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
    for (Block& block : request.blocks) {
      uintptr_t copy = 0;
      if (!make_bytes(block, mpi) && mpi.type_dup(block.type, &copy) == 0) {
        block.type = copy;
        request.kept_types.push_back(copy);
      }
    }
    remove(handle, mpi);
    requests_.emplace(handle, std::move(request));
  }
  void remove(uintptr_t handle, const RealMpi& mpi) {
    const auto found = requests_.find(handle);
    if (found == requests_.end()) return;
    for (uintptr_t& type : found->second.kept_types) mpi.type_free(&type);
    requests_.erase(found);
  }

 private:
  std::unordered_map<uintptr_t, LoggedRequest> requests_;
};

}  // namespace scalediag::pmpi
