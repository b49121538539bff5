// Types, communicators, windows and persistent requests: their properties for the byte rules, asked from MPI once and
// remembered until the handle is freed.
//
// MPI is asked only about handles that MPI itself has just accepted in a call that succeeded: an application that
// passes a wrong handle gets only MPI's own error.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pmpi-comm/known_handles.h"
#include "pmpi-comm/mpi_library.h"

namespace scalediag::pmpi {

struct TypeInfo {
  uint64_t bytes = 0;
};

// Ranks of a group as ranks of MPI_COMM_WORLD; raw::kUnknownPeer for processes outside it. Empty: they are the same.
using WorldRanks = std::vector<uint32_t>;

// The neighbours of a rank in its communicator's topology, in MPI's order: ranks of the communicator, or
// MPI_PROC_NULL where a Cartesian grid has none at its border.
struct Neighbors {
  std::vector<int> sources, destinations;
  bool is_grid = false;  // a Cartesian one: both are the same, the lower one first in each dimension
};

struct CommInfo {
  ~CommInfo();
  uintptr_t comm = 0;
  uint32_t size = 0;         // of the local group
  uint32_t remote_size = 0;  // of the group that messages go to; the local one in an intracommunicator
  uint32_t rank = 0;
  bool inter = false;
  uint32_t trace_number = 0;  // for the traced thread alone; 0: it has not used the communicator yet
  // Made at the first use, since their size grows with that of the communicator.
  std::atomic<const WorldRanks*> world_ranks{nullptr};
  std::atomic<const Neighbors*> neighbors{nullptr};
};

struct WindowInfo {
  ~WindowInfo();
  uintptr_t win = 0;
  uint32_t size = 0;
  std::atomic<const WorldRanks*> world_ranks{nullptr};
};

struct PersistentInfo {
  uint64_t bytes = 0;
  uint32_t peer = 0;  // world rank; meaningful when sends
  bool sends = false;
};

// The caches of one thread. Zero-initialised.
struct HandleCache {
  KnownHandles<TypeInfo>::Cache types;
  KnownHandles<CommInfo>::Cache comms;
  KnownHandles<WindowInfo>::Cache windows;
  KnownHandles<PersistentInfo>::Cache requests;
};

// All functions may be called from any thread, each with its own cache. Null handles and MPI's errors give 0, nullptr
// or raw::kUnknownPeer.
class Handles {
 public:
  explicit Handles(const MpiLibrary& mpi) : mpi_(mpi) {}

  uint64_t type_bytes(uintptr_t type, HandleCache& cache);
  CommInfo* comm(uintptr_t comm, HandleCache& cache);
  WindowInfo* window(uintptr_t win, HandleCache& cache);
  // The world rank of the process that messages to `rank` reach.
  uint32_t world_rank(CommInfo& comm, int rank);
  uint32_t world_rank(WindowInfo& window, int rank);
  const Neighbors& neighbors(CommInfo& comm);

  // Sizes without asking MPI, 0 when not known: for handles that MPI has not accepted yet.
  uint32_t known_comm_size(uintptr_t comm, HandleCache& cache);
  uint32_t known_window_size(uintptr_t win, HandleCache& cache);

  void add_request(uintptr_t request, const PersistentInfo& info, HandleCache& cache);
  const PersistentInfo* request(uintptr_t request, HandleCache& cache) {
    return requests_.find(request, cache.requests);
  }

  void forget_type(uintptr_t type) { types_.forget(type); }
  void forget_comm(uintptr_t comm) { comms_.forget(comm); }
  void forget_window(uintptr_t win) { windows_.forget(win); }
  void forget_request(uintptr_t request) { requests_.forget(request); }

  const MpiLibrary& mpi() const { return mpi_; }

  // The ranks of a group in MPI_COMM_WORLD; raw::kUnknownPeer: of another one. Nothing: MPI does not tell.
  std::optional<WorldRanks> ranks_in_world(uintptr_t group) const;

 private:
  std::unique_ptr<const WorldRanks> translate(uintptr_t group) const;
  std::unique_ptr<const WorldRanks> world_ranks_of(const CommInfo& comm) const;
  std::unique_ptr<const WorldRanks> world_ranks_of(const WindowInfo& window) const;
  std::unique_ptr<const Neighbors> neighbors_of(const CommInfo& comm) const;
  template <class Info> uint32_t look_up(Info& info, int rank, uint32_t ranks);

  const MpiLibrary& mpi_;
  KnownHandles<TypeInfo> types_;
  KnownHandles<CommInfo> comms_;
  KnownHandles<WindowInfo> windows_;
  KnownHandles<PersistentInfo> requests_;
};

}  // namespace scalediag::pmpi
