// The events of collective calls in a trace, and of those that make communicators.
#include <string>
#include <utility>

#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {
namespace {

using trace::EventKind;
using trace::Reason;

// Gatherv, Scatterv, Alltoallv, Alltoallw; of Allgatherv the mean of the blocks is taken.
bool has_blocks_of_their_own(Rule rule) {
  return rule == Rule::kGatherv || rule == Rule::kScatterv || rule == Rule::kAlltoallv || rule == Rule::kAlltoallw;
}

void put_part(std::string& to, uint32_t peer, uint64_t bytes) {
  trace::put(to, peer);
  trace::put(to, bytes);
}

}  // namespace

// Making a communicator needs an agreement of all members of its parent.
void TraceRecorder::communicator_made(uint32_t routine, const Arguments& a) {
  const Roles& at = kRoutineTable[routine].roles;
  const uintptr_t made = a.comm_in(at.handle_at);
  const bool belongs = made != mpi_.constants.comm_null && made != 0;
  const uint32_t its_number = belongs ? communicator(made) : kNoCommunicator;
  // Only the members of the group call it.
  const uint32_t comm = routine == kComm_create_group ? its_number : communicator(a.comm(at.comm_at));
  if (comm == kOtherCommunicator || its_number == kOtherCommunicator) {
    return emit_not_replayed(routine, Reason::kIntercommunicator);
  }
  if (comm == kNoCommunicator) return;
  begin_definition(EventKind::kCommunicatorMade, routine);
  trace::put(definition_, comm);
  emit();
}

void TraceRecorder::collective(uint32_t routine, const Arguments& a) {
  const Routine& row = kRoutineTable[routine];
  const uint32_t comm = communicator(a.comm(row.roles.comm_at));
  if (comm == kNoCommunicator) return;
  if (comm == kOtherCommunicator) return emit_not_replayed(routine, Reason::kIntercommunicator);
  CommInfo* info = handles_->comm(a.comm(row.roles.comm_at), *cache_);
  if (info == nullptr) return;
  if (row.group == Group::kNeighborhood) return neighborhood(routine, a, comm, *info);
  if (has_blocks_of_their_own(row.rule)) {
    exchange_definition(routine, a, comm, *info);
  } else {
    collective_definition(routine, a, comm, *info);
  }
  if (!row.is_nonblocking()) return emit();
  OpenRequest request;
  request.collective = true;
  request.routine = routine;
  request.definition = std::make_unique<const std::string>(definition_);
  requests_.begin(a.request(row.roles.request_at), std::move(request));
  begin_definition(EventKind::kCollectiveBegins, routine);
  trace::put(definition_, comm);
  emit();
}

// The messages to and from the neighbours, which begin together. Where a grid has a rank above and below another one,
// tags tell the two messages apart. A rank copies what it sends to itself.
void TraceRecorder::neighborhood(uint32_t routine, const Arguments& a, uint32_t comm, CommInfo& info) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  const Neighbors& beside = handles_->neighbors(info);
  const bool own_types = row.rule == Rule::kNeighborAlltoallw;
  std::vector<PartOfCall> parts;
  const auto begin = [&](EventKind kind, int rank, size_t direction, uint64_t bytes) {
    if (rank == mpi_.constants.proc_null || rank == static_cast<int>(info.rank)) return;
    parts.push_back(requests_.begin_part());
    const int tag = trace::kNeighborTag - (beside.is_grid ? 1 + static_cast<int>(direction) : 0);
    if (message_definition(kind, routine, comm, rank, tag, bytes)) trace::put(definition_, parts.back().number);
    emit();
  };
  const auto block = [&](int count_at, int type_at, size_t i, bool has_many) {
    const auto n = static_cast<int>(i);
    return bytes_of(has_many ? a.count(count_at, n) : a.count(count_at),
                    own_types ? a.type(type_at, n) : a.type(type_at));
  };
  const bool receives_many = at.offsets_at >= 0, sends_many = row.rule != Rule::kNeighborUniform;
  for (size_t i = 0; i < beside.sources.size(); ++i) {
    begin(EventKind::kIrecv, beside.sources[i], i ^ 1, block(at.recv_count_at, at.recv_type_at, i, receives_many));
  }
  for (size_t i = 0; i < beside.destinations.size(); ++i) {
    begin(EventKind::kIsend, beside.destinations[i], i, block(at.count_at, at.type_at, i, sends_many));
  }
  if (row.is_nonblocking()) {
    OpenRequest request;
    request.collective = true;
    request.routine = routine;
    request.parts = std::move(parts);
    requests_.begin(a.request(at.request_at), std::move(request));
    return;
  }
  await_parts(routine, parts);
}

void TraceRecorder::await_parts(uint32_t routine, const std::vector<PartOfCall>& parts) {
  std::vector<uint32_t> numbers;
  end_parts(parts, numbers);
  emit_wait(routine, std::move(numbers));
}

void TraceRecorder::collective_definition(uint32_t routine, const Arguments& a, uint32_t comm, const CommInfo& info) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  const auto in_place = [&](int position) { return position >= 0 && a.in_place(position); };
  const auto receive_side = [&] { return bytes_at(a, at.recv_count_at, at.recv_type_at); };
  uint64_t bytes = 0;
  switch (row.rule) {
    case Rule::kNoBytes:  // Barrier
      break;
    case Rule::kGather:
    case Rule::kAllgather:
    case Rule::kAlltoall: bytes = in_place(at.send_at) ? receive_side() : bytes_at(a, at.count_at, at.type_at); break;
    case Rule::kScatter: bytes = in_place(at.recv_at) ? bytes_at(a, at.count_at, at.type_at) : receive_side(); break;
    case Rule::kAllgatherv: {
      // All ranks have to cost the same, so that the mean of the blocks is taken, which all ranks know.
      int64_t elements = 0;
      for (uint32_t i = 0; i < info.size; ++i) elements += a.count(at.recv_count_at, static_cast<int>(i));
      bytes = info.size > 0 ? bytes_of(elements, a.type(at.recv_type_at)) / info.size : 0;
      break;
    }
    case Rule::kReduceScatter: {
      int64_t elements = 0;
      for (uint32_t i = 0; i < info.size; ++i) elements += a.count(at.count_at, static_cast<int>(i));
      bytes = bytes_of(elements, a.type(at.type_at));
      break;
    }
    case Rule::kReduceScatterBlock: bytes = info.size * bytes_at(a, at.count_at, at.type_at); break;
    default:  // Bcast, Reduce, Allreduce, Scan, Exscan
      bytes = bytes_at(a, at.count_at, at.type_at);
  }
  begin_definition(EventKind::kCollective, routine);
  trace::put(definition_, comm);
  trace::put(definition_, static_cast<uint64_t>(row.collective));
  trace::put(definition_, bytes);
  trace::put(definition_, at.root_at >= 0 ? static_cast<uint64_t>(a.integer(at.root_at)) : 0);
}

// Gatherv, Scatterv, Alltoallv, Alltoallw: each block is its own message. Empty blocks are not sent, which both sides
// know.
void TraceRecorder::exchange_definition(uint32_t routine, const Arguments& a, uint32_t comm, const CommInfo& info) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  const auto me = static_cast<int>(info.rank);
  std::string sent, received;
  uint32_t n_sent = 0, n_received = 0;
  const auto send = [&](int to, uint64_t bytes) {
    if (bytes == 0 || to == me) return;
    put_part(sent, world_rank(comm, to), bytes);
    ++n_sent;
  };
  const auto receive = [&](int from, uint64_t bytes) {
    if (bytes == 0 || from == me) return;
    put_part(received, world_rank(comm, from), bytes);
    ++n_received;
  };
  const auto block = [&](int count_at, int type_at, int i, bool own_type) {
    return bytes_of(a.count(count_at, i), own_type ? a.type(type_at, i) : a.type(type_at));
  };
  const auto size = static_cast<int>(info.size);
  const bool gathers = row.rule == Rule::kGatherv;
  if (gathers || row.rule == Rule::kScatterv) {
    const int root = a.integer(at.root_at);
    if (me == root) {
      for (int i = 0; i < size; ++i) {
        if (gathers) {
          receive(i, block(at.recv_count_at, at.recv_type_at, i, false));
        } else {
          send(i, block(at.count_at, at.type_at, i, false));
        }
      }
    } else if (gathers) {
      send(root, bytes_at(a, at.count_at, at.type_at));
    } else {
      receive(root, bytes_at(a, at.recv_count_at, at.recv_type_at));
    }
  } else {
    const bool own_types = row.rule == Rule::kAlltoallw;
    const bool in_place = a.in_place(at.send_at);
    for (int i = 0; i < size; ++i) {
      receive(i, block(at.recv_count_at, at.recv_type_at, i, own_types));
      send(i, in_place ? block(at.recv_count_at, at.recv_type_at, i, own_types)
                       : block(at.count_at, at.type_at, i, own_types));
    }
  }
  begin_definition(EventKind::kExchange, routine);
  trace::put(definition_, comm);
  trace::put(definition_, n_sent);
  definition_ += sent;
  trace::put(definition_, n_received);
  definition_ += received;
}

}  // namespace scalediag::pmpi
