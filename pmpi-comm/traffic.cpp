#include "pmpi-comm/traffic.h"

#include "core/raw/raw_format.h"

namespace scalediag::pmpi {

namespace {

// The measurement of one call.
class Measurement {
 public:
  Measurement(const Roles& roles, const Arguments& arguments, Handles& handles, HandleCache& cache, CallTable& table)
      : at_(roles), arguments_(arguments), handles_(handles), cache_(cache), table_(table) {
    if (at_.comm_at >= 0) {
      comm_ = handles_.comm(arguments_.comm(at_.comm_at), cache_);
    } else if (at_.win_at >= 0) {
      window_ = handles_.window(arguments_.win(at_.win_at), cache_);
    }
  }

  uint32_t communicator_size() const { return comm_ != nullptr ? comm_->size : window_ != nullptr ? window_->size : 0; }
  uint64_t bytes(Rule rule, uint32_t seen_before);

 private:
  // MPI is not asked about the type of an empty message: it may be MPI_DATATYPE_NULL.
  uint64_t times_type(int64_t count, uintptr_t type) {
    return count > 0 ? static_cast<uint64_t>(count) * handles_.type_bytes(type, cache_) : 0;
  }
  uint64_t product(int count_at, int type_at) {
    return times_type(arguments_.count(count_at), arguments_.type(type_at));
  }
  uint64_t element(int count_at, int i, int type_at) {
    return times_type(arguments_.count(count_at, i), arguments_.type(type_at));
  }
  uint64_t sum(int count_at, uint32_t n, int type_at) {
    int64_t elements = 0;
    for (uint32_t i = 0; i < n; ++i) elements += arguments_.count(count_at, static_cast<int>(i));
    return times_type(elements, arguments_.type(type_at));
  }
  uint64_t sum_of_products(int count_at, uint32_t n, int type_at) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n; ++i) {
      const int64_t count = arguments_.count(count_at, static_cast<int>(i));
      if (count > 0) bytes += times_type(count, arguments_.type(type_at, static_cast<int>(i)));
    }
    return bytes;
  }
  uint64_t sent() { return product(at_.count_at, at_.type_at); }

  int my_rank() const { return comm_ != nullptr ? static_cast<int>(comm_->rank) : 0; }
  // The number of ranks that a collective exchanges data with.
  uint32_t partners() const { return comm_ != nullptr ? comm_->remote_size : 0; }
  bool in_place(int at) const { return at >= 0 && arguments_.in_place(at); }

  // In an intercommunicator MPI_ROOT stands for the rank that is the root and MPI_PROC_NULL for those beside it,
  // whose arguments mean nothing.
  bool is_remote_root() const { return root_is(constants().root); }
  bool stands_by() const { return root_is(constants().proc_null); }
  bool root_is(int rank) const {
    return comm_ != nullptr && comm_->inter && at_.root_at >= 0 && arguments_.integer(at_.root_at) == rank;
  }
  const MpiConstants& constants() const { return handles_.mpi().constants; }

  bool to_nobody() const { return arguments_.integer(at_.peer_at) == constants().proc_null; }
  uint32_t peer() {
    const int rank = arguments_.integer(at_.peer_at);
    if (comm_ != nullptr) return handles_.world_rank(*comm_, rank);
    return window_ != nullptr ? handles_.world_rank(*window_, rank) : raw::kUnknownPeer;
  }
  uint64_t to_peer(uint32_t direction, uint64_t bytes) {
    if (to_nobody()) return 0;
    count_message(peer(), direction, bytes);
    return bytes;
  }
  void count_message(uint32_t peer, uint32_t direction, uint64_t bytes) {
    PeerEntry* entry = table_.peer_entry(peer, direction);
    if (entry == nullptr) return;
    entry->messages.add(1);
    entry->bytes.add(bytes);
  }

  uint64_t gathered(bool per_rank);
  uint64_t scattered(bool per_rank);
  uint64_t to_neighbors(Rule rule);
  uint64_t make_persistent(bool sends);
  uint64_t started(uintptr_t request);
  // MPI_NO_OP reads the target and sends nothing: its origin arguments mean nothing.
  bool only_reads() const { return at_.op_at >= 0 && arguments_.op(at_.op_at) == constants().no_op; }

  const Roles& at_;
  const Arguments& arguments_;
  Handles& handles_;
  HandleCache& cache_;
  CallTable& table_;
  CommInfo* comm_ = nullptr;
  WindowInfo* window_ = nullptr;
};

// With MPI_IN_PLACE the contribution is in the receive buffer, and the receiving side's arguments describe it.
uint64_t Measurement::gathered(bool per_rank) {
  if (is_remote_root() || stands_by()) return 0;
  if (!in_place(at_.send_at)) return sent();
  return per_rank ? element(at_.recv_count_at, my_rank(), at_.recv_type_at)
                  : product(at_.recv_count_at, at_.recv_type_at);
}

uint64_t Measurement::scattered(bool per_rank) {
  if (is_remote_root() || stands_by()) return 0;
  if (!in_place(at_.recv_at)) return product(at_.recv_count_at, at_.recv_type_at);
  return per_rank ? element(at_.count_at, my_rank(), at_.type_at) : sent();
}

uint64_t Measurement::to_neighbors(Rule rule) {
  if (comm_ == nullptr) return 0;
  const std::vector<int>& to = handles_.neighbors(*comm_).destinations;
  uint64_t bytes = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == constants().proc_null) continue;
    const int n = static_cast<int>(i);
    if (rule == Rule::kNeighborUniform) {
      bytes += sent();
    } else if (rule == Rule::kNeighborAlltoallv) {
      bytes += element(at_.count_at, n, at_.type_at);
    } else if (arguments_.count(at_.count_at, n) > 0) {
      bytes += times_type(arguments_.count(at_.count_at, n), arguments_.type(at_.type_at, n));
    }
  }
  return bytes;
}

uint64_t Measurement::make_persistent(bool sends) {
  PersistentInfo info;
  if (!to_nobody()) {
    info.bytes = sent();
    info.sends = sends;
    if (sends) info.peer = peer();
  }
  handles_.add_request(arguments_.request(at_.request_at), info, cache_);
  return 0;
}

uint64_t Measurement::started(uintptr_t request) {
  const PersistentInfo* info = handles_.request(request, cache_);
  if (info == nullptr) return 0;
  if (info->sends) count_message(info->peer, raw::kSent, info->bytes);
  return info->bytes;
}

uint64_t Measurement::bytes(Rule rule, uint32_t seen_before) {
  switch (rule) {
    case Rule::kSend: return to_nobody() ? 0 : to_peer(raw::kSent, sent());
    case Rule::kReceive: return to_nobody() ? 0 : sent();
    case Rule::kMatchedReceive: return seen_before != 0 ? sent() : 0;
    case Rule::kPersistentSend: return make_persistent(true);
    case Rule::kPersistentReceive: return make_persistent(false);
    case Rule::kStart: return started(arguments_.request(at_.requests_at));
    case Rule::kStartAll: {
      uint64_t total = 0;
      const int n = arguments_.integer(at_.count_at);
      for (int i = 0; i < n; ++i) total += started(arguments_.request(at_.requests_at, i));
      return total;
    }
    case Rule::kBcast: return stands_by() ? 0 : sent();
    case Rule::kReduce: return is_remote_root() || stands_by() ? 0 : sent();
    case Rule::kGather:
    case Rule::kAllgather: return gathered(false);
    case Rule::kGatherv:
    case Rule::kAllgatherv: return gathered(true);
    case Rule::kScatter: return scattered(false);
    case Rule::kScatterv: return scattered(true);
    case Rule::kAlltoall:
      return partners() * (in_place(at_.send_at) ? product(at_.recv_count_at, at_.recv_type_at) : sent());
    case Rule::kAlltoallv:
      return in_place(at_.send_at) ? sum(at_.recv_count_at, partners(), at_.recv_type_at)
                                   : sum(at_.count_at, partners(), at_.type_at);
    case Rule::kAlltoallw:
      return in_place(at_.send_at) ? sum_of_products(at_.recv_count_at, partners(), at_.recv_type_at)
                                   : sum_of_products(at_.count_at, partners(), at_.type_at);
    case Rule::kContribution:
    case Rule::kFileData: return sent();
    case Rule::kReduceScatter:
      // Receive counts are those of the local group, in an intercommunicator too.
      return sum(at_.count_at, communicator_size(), at_.type_at);
    case Rule::kReduceScatterBlock: return communicator_size() * sent();
    case Rule::kNeighborUniform:
    case Rule::kNeighborAlltoallv:
    case Rule::kNeighborAlltoallw: return to_neighbors(rule);
    case Rule::kPut: return to_nobody() ? 0 : to_peer(raw::kPut, sent());
    case Rule::kGet: return to_nobody() ? 0 : to_peer(raw::kGot, sent());
    case Rule::kGetAccumulate:
      if (to_nobody()) return 0;
      return only_reads() ? to_peer(raw::kGot, product(at_.recv_count_at, at_.recv_type_at))
                          : to_peer(raw::kPut, sent());
    case Rule::kOneElement:
      if (to_nobody()) return 0;
      return to_peer(only_reads() ? raw::kGot : raw::kPut, times_type(1, arguments_.type(at_.type_at)));
    case Rule::kSpawns: {
      const CommInfo* made = handles_.comm(arguments_.comm_in(at_.handle_at), cache_);
      // All ranks of the communicator spawn the processes together: one rank counts them.
      if (made != nullptr && arguments_.integer(at_.root_at) == my_rank()) table_.count_spawned(made->remote_size);
      return 0;
    }
    case Rule::kMakesComm:
    case Rule::kMakesCommLater:
    case Rule::kMakesWindow:
    case Rule::kNoBytes:
    case Rule::kFreesComm:
    case Rule::kFreesWindow:
    case Rule::kFreesRequest:
    case Rule::kFreesType: return 0;
  }
  return 0;
}

}  // namespace

uint32_t look_before(const Routine& routine, const Arguments& arguments, Handles& handles, HandleCache& cache) {
  const int at = routine.roles.handle_at;
  switch (routine.rule) {
    case Rule::kMatchedReceive:
      // The call sets the message to MPI_MESSAGE_NULL.
      return arguments.message_in(routine.roles.message_at) != handles.mpi().constants.message_no_proc;
    case Rule::kFreesComm: {
      const uintptr_t comm = arguments.comm_in(at);
      const uint32_t size = handles.known_comm_size(comm, cache);
      handles.forget_comm(comm);
      return size;
    }
    case Rule::kFreesWindow: {
      const uintptr_t win = arguments.win_in(at);
      const uint32_t size = handles.known_window_size(win, cache);
      handles.forget_window(win);
      return size;
    }
    case Rule::kFreesRequest: handles.forget_request(arguments.request(routine.roles.requests_at)); return 0;
    case Rule::kFreesType: handles.forget_type(arguments.type_in(at)); return 0;
    default: return 0;
  }
}

void note_made(const Routine& routine, const Arguments& arguments, Handles& handles, HandleCache& cache) {
  const int at = routine.roles.handle_at;
  switch (routine.rule) {
    case Rule::kMakesComm:
    case Rule::kMakesCommLater:
    case Rule::kSpawns:
      handles.forget_comm(arguments.comm_in(at));
      if (routine.rule != Rule::kMakesCommLater) handles.comm(arguments.comm_in(at), cache);
      return;
    case Rule::kMakesWindow:
      handles.forget_window(arguments.win_in(at));
      handles.window(arguments.win_in(at), cache);
      return;
    default: return;
  }
}

Traffic measure(const Routine& routine, const Arguments& arguments, uint32_t seen_before, Handles& handles,
                HandleCache& cache, CallTable& table) {
  Measurement measurement(routine.roles, arguments, handles, cache, table);
  Traffic traffic;
  traffic.communicator_size = measurement.communicator_size();
  if (routine.rule == Rule::kNoBytes) return traffic;
  if (routine.rule == Rule::kFreesComm || routine.rule == Rule::kFreesWindow) {
    traffic.communicator_size = seen_before;
    return traffic;
  }
  traffic.bytes = measurement.bytes(routine.rule, seen_before);
  return traffic;
}

}  // namespace scalediag::pmpi
