#include "pmpi-comm/handles.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/raw/raw_format.h"

namespace scalediag::pmpi {

namespace {

// Keeps the first one when two threads make the same object.
template <class T> const T* publish(std::atomic<const T*>& to, std::unique_ptr<const T> made) {
  const T* expected = nullptr;
  if (made == nullptr) return nullptr;
  if (to.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return made.release();
  return expected;
}

uint32_t as_size(int n) { return n > 0 ? static_cast<uint32_t>(n) : 0; }

}  // namespace

CommInfo::~CommInfo() {
  delete world_ranks.load(std::memory_order_relaxed);
  delete neighbors.load(std::memory_order_relaxed);
}

WindowInfo::~WindowInfo() { delete world_ranks.load(std::memory_order_relaxed); }

uint64_t Handles::type_bytes(uintptr_t type, HandleCache& cache) {
  if (const TypeInfo* known = types_.find(type, cache.types)) return known->bytes;
  const MpiFunctions& f = mpi_.functions;
  if (type == 0 || type == mpi_.constants.type_null || f.type_size_x == nullptr) return 0;
  int64_t bytes = 0;
  if (f.type_size_x(type, &bytes) != 0 || bytes < 0) return 0;  // negative: MPI_UNDEFINED
  std::unique_ptr<TypeInfo> info(new (std::nothrow) TypeInfo);
  if (info != nullptr) {
    info->bytes = static_cast<uint64_t>(bytes);
    types_.insert(type, std::move(info), cache.types);
  }
  return static_cast<uint64_t>(bytes);
}

CommInfo* Handles::comm(uintptr_t comm, HandleCache& cache) {
  if (CommInfo* known = comms_.find(comm, cache.comms)) return known;
  const MpiFunctions& f = mpi_.functions;
  if (comm == 0 || comm == mpi_.constants.comm_null || f.comm_size == nullptr) return nullptr;
  int size = 0, remote = 0, rank = 0, inter = 0;
  if (f.comm_size(comm, &size) != 0 || f.comm_rank(comm, &rank) != 0 || f.comm_test_inter(comm, &inter) != 0) {
    return nullptr;
  }
  remote = size;
  if (inter != 0 && f.comm_remote_size(comm, &remote) != 0) return nullptr;
  std::unique_ptr<CommInfo> info(new (std::nothrow) CommInfo);
  if (info == nullptr) return nullptr;
  info->comm = comm;
  info->size = as_size(size);
  info->remote_size = as_size(remote);
  info->rank = as_size(rank);
  info->inter = inter != 0;
  return comms_.insert(comm, std::move(info), cache.comms);
}

WindowInfo* Handles::window(uintptr_t win, HandleCache& cache) {
  if (WindowInfo* known = windows_.find(win, cache.windows)) return known;
  const MpiFunctions& f = mpi_.functions;
  if (win == 0 || win == mpi_.constants.win_null || f.win_get_group == nullptr) return nullptr;
  uintptr_t group = 0;
  int size = 0;
  if (f.win_get_group(win, &group) != 0) return nullptr;
  const bool sized = f.group_size(group, &size) == 0;
  f.group_free(&group);
  if (!sized) return nullptr;
  std::unique_ptr<WindowInfo> info(new (std::nothrow) WindowInfo);
  if (info == nullptr) return nullptr;
  info->win = win;
  info->size = as_size(size);
  return windows_.insert(win, std::move(info), cache.windows);
}

uint32_t Handles::known_comm_size(uintptr_t comm, HandleCache& cache) {
  const CommInfo* known = comms_.find(comm, cache.comms);
  return known != nullptr ? known->size : 0;
}

uint32_t Handles::known_window_size(uintptr_t win, HandleCache& cache) {
  const WindowInfo* known = windows_.find(win, cache.windows);
  return known != nullptr ? known->size : 0;
}

void Handles::add_request(uintptr_t request, const PersistentInfo& info, HandleCache& cache) {
  if (request == 0 || request == mpi_.constants.request_null) return;
  // An older request of this handle was freed without a call that we see.
  requests_.forget(request);
  std::unique_ptr<PersistentInfo> copy(new (std::nothrow) PersistentInfo(info));
  if (copy != nullptr) requests_.insert(request, std::move(copy), cache.requests);
}

std::optional<WorldRanks> Handles::ranks_in_world(uintptr_t group) const {
  const MpiFunctions& f = mpi_.functions;
  uintptr_t world = 0;
  int n = 0;
  if (f.group_size(group, &n) != 0 || n < 0) return std::nullopt;
  std::vector<int> from(static_cast<size_t>(n)), to(static_cast<size_t>(n));
  WorldRanks ranks(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) from[static_cast<size_t>(i)] = i;
  if (f.comm_group(mpi_.constants.comm_world, &world) != 0) return std::nullopt;
  const bool known = n == 0 || f.group_translate_ranks(group, n, from.data(), world, to.data()) == 0;
  f.group_free(&world);
  if (!known) return std::nullopt;
  std::transform(to.begin(), to.end(), ranks.begin(),
                 [](int rank) { return rank >= 0 ? static_cast<uint32_t>(rank) : raw::kUnknownPeer; });
  return ranks;
}

std::unique_ptr<const WorldRanks> Handles::translate(uintptr_t group) const {
  try {
    auto ranks = ranks_in_world(group);
    if (!ranks) return nullptr;
    size_t same = 0;
    while (same < ranks->size() && (*ranks)[same] == same) ++same;
    if (same == ranks->size()) ranks->clear();
    return std::make_unique<WorldRanks>(std::move(*ranks));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::unique_ptr<const WorldRanks> Handles::world_ranks_of(const CommInfo& comm) const {
  const MpiFunctions& f = mpi_.functions;
  uintptr_t group = 0;
  if ((comm.inter ? f.comm_remote_group : f.comm_group)(comm.comm, &group) != 0) return nullptr;
  auto ranks = translate(group);
  f.group_free(&group);
  return ranks;
}

std::unique_ptr<const WorldRanks> Handles::world_ranks_of(const WindowInfo& window) const {
  uintptr_t group = 0;
  if (mpi_.functions.win_get_group(window.win, &group) != 0) return nullptr;
  auto ranks = translate(group);
  mpi_.functions.group_free(&group);
  return ranks;
}

template <class Info> uint32_t Handles::look_up(Info& info, int rank, uint32_t ranks) {
  if (rank < 0 || static_cast<uint32_t>(rank) >= ranks) return raw::kUnknownPeer;
  const WorldRanks* world = info.world_ranks.load(std::memory_order_acquire);
  if (world == nullptr) world = publish(info.world_ranks, world_ranks_of(info));
  if (world == nullptr) return raw::kUnknownPeer;
  return world->empty() ? static_cast<uint32_t>(rank) : (*world)[static_cast<size_t>(rank)];
}

uint32_t Handles::world_rank(CommInfo& comm, int rank) { return look_up(comm, rank, comm.remote_size); }
uint32_t Handles::world_rank(WindowInfo& window, int rank) { return look_up(window, rank, window.size); }

std::unique_ptr<const Neighbors> Handles::neighbors_of(const CommInfo& comm) const {
  const MpiFunctions& f = mpi_.functions;
  const MpiConstants& c = mpi_.constants;
  int kind = 0;
  if (f.topo_test(comm.comm, &kind) != 0) return nullptr;
  try {
    auto beside = std::make_unique<Neighbors>();
    std::vector<int>& to = beside->destinations;
    std::vector<int>& from = beside->sources;
    if (kind == c.cart) {
      beside->is_grid = true;
      int dimensions = 0;
      if (f.cartdim_get(comm.comm, &dimensions) != 0) return nullptr;
      for (int d = 0; d < dimensions; ++d) {
        int below = 0, above = 0;
        if (f.cart_shift(comm.comm, d, 1, &below, &above) != 0) return nullptr;
        to.insert(to.end(), {below, above});
      }
      from = to;
    } else if (kind == c.graph) {
      int count = 0;
      const auto rank = static_cast<int>(comm.rank);
      if (f.graph_neighbors_count(comm.comm, rank, &count) != 0) return nullptr;
      to.resize(as_size(count));
      if (f.graph_neighbors(comm.comm, rank, count, to.data()) != 0) return nullptr;
      from = to;
    } else if (kind == c.dist_graph) {
      int in = 0, out = 0, weighted = 0;
      if (f.dist_graph_neighbors_count(comm.comm, &in, &out, &weighted) != 0) return nullptr;
      from.resize(as_size(in));
      to.resize(as_size(out));
      std::vector<int> in_weights(from.size()), out_weights(to.size());
      if (f.dist_graph_neighbors(comm.comm, in, from.data(), in_weights.data(), out, to.data(), out_weights.data()) !=
          0) {
        return nullptr;
      }
    }
    return beside;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

const Neighbors& Handles::neighbors(CommInfo& comm) {
  static const Neighbors kNone;
  const Neighbors* known = comm.neighbors.load(std::memory_order_acquire);
  if (known == nullptr) known = publish(comm.neighbors, neighbors_of(comm));
  return known != nullptr ? *known : kNone;
}

}  // namespace scalediag::pmpi
