// The events of each routine's call in a trace, from its row in core/mpi_routines.def.
#include <algorithm>

#include "core/raw/raw_format.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {
namespace {

using trace::EventKind;
using trace::Reason;

const Roles& roles(uint32_t routine) { return kRoutineTable[routine].roles; }

}  // namespace

uint64_t TraceRecorder::bytes_of(int64_t count, uintptr_t type) {
  return count > 0 ? static_cast<uint64_t>(count) * handles_->type_bytes(type, *cache_) : 0;
}

uint64_t TraceRecorder::bytes_at(const Arguments& a, int count_at, int type_at) {
  return bytes_of(a.count(count_at), a.type(type_at));
}

// Passes a status of our own where the application wants none.
void TraceRecorder::want_status(const Arguments& a, uintptr_t* values, int at, size_t n) {
  if (!a.ignores_status(at)) return;
  const size_t words = (static_cast<size_t>(mpi_.constants.status_ints) * n * sizeof(int) + 7) / 8;
  if (statuses_.size() < words) statuses_.resize(words);
  std::fill(statuses_.begin(), statuses_.begin() + static_cast<std::ptrdiff_t>(words), 0);
  values[at] = reinterpret_cast<uintptr_t>(statuses_.data());
  has_own_status_ = true;
}

TraceRecorder::Status TraceRecorder::status(const Arguments& a, int at, size_t i) const {
  const MpiConstants& c = mpi_.constants;
  const int* ints = has_own_status_ ? reinterpret_cast<const int*>(statuses_.data()) : a.integers(at);
  if (ints == nullptr) return {-1, 0, false};
  ints += i * static_cast<size_t>(c.status_ints);
  return {ints[c.status_source_at], ints[c.status_tag_at], mpi_.is_cancelled(ints)};
}

void TraceRecorder::read_requests(const Arguments& a, const Roles& at) {
  called_with_.clear();
  const int n = at.count_at < 0 ? 1 : a.integer(at.count_at);
  for (int i = 0; i < n; ++i) called_with_.push_back(a.request(at.requests_at, i));
}

// Whether a receive or a probe is from any rank or with any tag.
bool TraceRecorder::from_any(const Arguments& a, const Roles& at) const {
  const bool also_sends = at.source_at >= 0;
  return a.integer(also_sends ? at.source_at : at.peer_at) == mpi_.constants.any_source ||
         a.integer(also_sends ? at.source_tag_at : at.tag_at) == mpi_.constants.any_tag;
}

void TraceRecorder::before_call(uint32_t routine, const Arguments& a, uintptr_t* values) {
  const Roles& at = roles(routine);
  switch (kRoutineTable[routine].group) {
    case Group::kCompletion:
      read_requests(a, at);
      if (n_needing_status_ > 0) want_status(a, values, at.status_at, called_with_.size());
      return;
    case Group::kRequest:
      if (at.requests_at >= 0) read_requests(a, at);
      return;
    case Group::kOneSided:
      if (routine == kWin_free) window_in_ = a.win_in(at.handle_at);
      return;
    case Group::kProbe:
      // The other probes are no events.
      if (at.message_at >= 0 && from_any(a, at)) want_status(a, values, at.status_at, 1);
      return;
    case Group::kReceive:
    case Group::kSendReceive:
      if (at.message_at >= 0) {
        message_in_ = a.message_in(at.message_at);
      } else if (at.status_at >= 0 && from_any(a, at)) {
        want_status(a, values, at.status_at, 1);
      }
      return;
    default: return;
  }
}

void TraceRecorder::after_call(uint32_t routine, const Arguments& a) {
  if (at_once_) note_order(routine, a);
  if (told_before_) {
    // A communicator is numbered when it is made, because all ranks make them in the same order.
    if (kRoutineTable[routine].rule == Rule::kMakesComm) communicator(a.comm_in(roles(routine).handle_at));
    if (kRoutineTable[routine].rule == Rule::kMakesWindow) window_made(a, roles(routine));
    return;
  }
  call_event(routine, a);
}

void TraceRecorder::call_event(uint32_t routine, const Arguments& a) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  switch (row.group) {
    case Group::kSend: {
      // A send that is local though it is blocking puts its message into a buffer.
      const EventKind blocking = row.can_wait() ? EventKind::kSend : EventKind::kBufferedSend;
      return point_to_point(routine, a, row.is_nonblocking() ? EventKind::kIsend : blocking);
    }
    case Group::kReceive:
      if (row.rule == Rule::kMatchedReceive) return receive_matched(routine, a);
      return point_to_point(routine, a, row.is_nonblocking() ? EventKind::kIrecv : EventKind::kRecv);
    case Group::kSendReceive:
      return row.is_nonblocking() ? emit_not_replayed(routine, Reason::kUnknown) : send_receive(routine, a);
    case Group::kProbe:
      if (at.flag_at >= 0 && a.integer_in(at.flag_at) == 0) {
        polled_in_vain_ = true;
      } else if (at.message_at >= 0) {
        remember_matched(a, at);
      }
      return;
    case Group::kPersistent:
      if (row.is_nonblocking()) return make_persistent(routine, a);
      for (int i = 0; i < (at.count_at < 0 ? 1 : a.integer(at.count_at)); ++i) {
        start_persistent(a.request(at.requests_at, i));
      }
      return;
    case Group::kCompletion: return complete(routine, a);
    case Group::kRequest:
      if (row.rule == Rule::kFreesRequest) return free_request();
      if (routine == kCancel) cancel_request();
      return;
    case Group::kCollective:
    case Group::kNeighborhood: return collective(routine, a);
    case Group::kCommunicator:
      if (row.rule == Rule::kMakesComm) communicator_made(routine, a);
      return;
    case Group::kIntercommunicator: return emit_not_replayed(routine, Reason::kIntercommunicator);
    case Group::kOneSided: return one_sided(routine, a);
    case Group::kFile: return emit_not_replayed(routine, Reason::kUnknown);
    case Group::kLocal: return;
  }
}

void TraceRecorder::cancel_request() {
  const uint32_t number = requests_.find(called_with_[0]);
  if (number == TraceRequests::kNone) return;
  OpenRequest& request = requests_[number];
  if (!request.needs_status()) ++n_needing_status_;
  request.cancelled = true;
}

// False where the other side is not among the ranks; definition_ then records that.
bool TraceRecorder::message_definition(EventKind kind, uint32_t routine, uint32_t comm, int rank, int tag,
                                       uint64_t bytes) {
  if (comm == kOtherCommunicator || comm == kNoCommunicator) {
    not_replayed(routine, Reason::kIntercommunicator);
    return false;
  }
  const uint32_t peer = world_rank(comm, rank);
  if (peer == raw::kUnknownPeer) {
    not_replayed(routine, Reason::kOtherProcess);
    return false;
  }
  begin_definition(kind, routine);
  trace::put(definition_, peer);
  trace::put_signed(definition_, tag);
  trace::put(definition_, comm);
  trace::put(definition_, bytes);
  return true;
}

// `handle`: nonblocking. `rank` and `tag` may be wildcards of a nonblocking receive.
void TraceRecorder::message(EventKind kind, uint32_t routine, uint32_t comm, int rank, int tag, uint64_t bytes,
                            uintptr_t handle) {
  if (rank == mpi_.constants.proc_null) return;
  if (kind != EventKind::kIsend && kind != EventKind::kIrecv) {
    has_detached_ = has_detached_ || kind == EventKind::kBufferedSend;
    message_definition(kind, routine, comm, rank, tag, bytes);
    return emit();
  }
  const bool known = kind == EventKind::kIsend ||
                     (rank != mpi_.constants.any_source && tag != mpi_.constants.any_tag) ||
                     comm == kOtherCommunicator || comm == kNoCommunicator;
  OpenRequest request;
  request.routine = routine;
  request.communicator = comm;
  request.bytes = bytes;
  if (!known) request.held = first_held_ + held_.size();
  const uint32_t number = requests_.begin(handle, std::move(request));
  if (!known) {
    ++n_needing_status_;
    definition_.clear();
    return emit(number);
  }
  if (message_definition(kind, routine, comm, rank, tag, bytes)) trace::put(definition_, number);
  emit();
}

void TraceRecorder::point_to_point(uint32_t routine, const Arguments& a, EventKind kind) {
  const Roles& at = roles(routine);
  int rank = a.integer(at.peer_at);
  if (rank == mpi_.constants.proc_null) return;
  int tag = a.integer(at.tag_at);
  if (chosen_) {
    rank = chosen_rank_;
    tag = chosen_tag_;
  } else if (kind == EventKind::kRecv && from_any(a, at)) {
    const Status met = status(a, at.status_at, 0);
    rank = met.source;
    tag = met.tag;
  }
  message(kind, routine, communicator(a.comm(at.comm_at)), rank, tag, bytes_at(a, at.count_at, at.type_at),
          at.request_at >= 0 ? a.request(at.request_at) : 0);
}

void TraceRecorder::send_receive(uint32_t routine, const Arguments& a) {
  const Roles& at = roles(routine);
  const int to = a.integer(at.peer_at);
  int from = a.integer(at.source_at);
  int receive_tag = a.integer(at.source_tag_at);
  const MpiConstants& c = mpi_.constants;
  if (from != c.proc_null && from_any(a, at)) {
    const Status met = status(a, at.status_at, 0);
    from = met.source;
    receive_tag = met.tag;
  }
  if (to == c.proc_null && from == c.proc_null) return;
  const uint32_t comm = communicator(a.comm(at.comm_at));
  if (comm == kOtherCommunicator || comm == kNoCommunicator) {
    return emit_not_replayed(routine, Reason::kIntercommunicator);
  }
  const uint32_t to_world = to == c.proc_null ? 0 : world_rank(comm, to);
  const uint32_t from_world = from == c.proc_null ? 0 : world_rank(comm, from);
  if (to_world == raw::kUnknownPeer || from_world == raw::kUnknownPeer) {
    return emit_not_replayed(routine, Reason::kOtherProcess);
  }
  const uint64_t sent = bytes_at(a, at.count_at, at.type_at);
  begin_definition(EventKind::kSendrecv, routine);
  trace::put(definition_, comm);
  const auto put_side = [&](bool nobody, uint32_t peer, int tag, uint64_t bytes) {
    trace::put(definition_, nobody ? 0 : static_cast<uint64_t>(peer) + 1);
    trace::put_signed(definition_, nobody ? 0 : tag);
    trace::put(definition_, nobody ? 0 : bytes);
  };
  put_side(to == c.proc_null, to_world, a.integer(at.tag_at), sent);
  // One buffer is replaced by as many bytes as are sent.
  put_side(from == c.proc_null, from_world, receive_tag,
           at.recv_count_at < 0 ? sent : bytes_at(a, at.recv_count_at, at.recv_type_at));
  emit();
}

void TraceRecorder::remember_matched(const Arguments& a, const Roles& at) {
  const uintptr_t handle = a.message_in(at.message_at);
  if (handle == mpi_.constants.message_no_proc) return;
  MatchedMessage matched{communicator(a.comm(at.comm_at)), a.integer(at.peer_at), a.integer(at.tag_at)};
  if (from_any(a, at)) {
    const Status met = status(a, at.status_at, 0);
    matched.source = met.source;
    matched.tag = met.tag;
  }
  messages_[handle] = matched;
}

void TraceRecorder::receive_matched(uint32_t routine, const Arguments& a) {
  const auto found = messages_.find(message_in_);
  if (found == messages_.end()) return;  // MPI_MESSAGE_NO_PROC
  const MatchedMessage matched = found->second;
  messages_.erase(found);
  const Roles& at = roles(routine);
  const bool nonblocking = at.request_at >= 0;
  message(nonblocking ? EventKind::kIrecv : EventKind::kRecv, routine, matched.communicator, matched.source,
          matched.tag, bytes_at(a, at.count_at, at.type_at), nonblocking ? a.request(at.request_at) : 0);
}

void TraceRecorder::make_persistent(uint32_t routine, const Arguments& a) {
  const Roles& at = roles(routine);
  PersistentRequest request;
  request.sends = kRoutineTable[routine].rule == Rule::kPersistentSend;
  request.routine = routine;
  request.rank = a.integer(at.peer_at);
  request.tag = a.integer(at.tag_at);
  if (request.rank != mpi_.constants.proc_null) {
    request.communicator = communicator(a.comm(at.comm_at));
    request.bytes = bytes_at(a, at.count_at, at.type_at);
  }
  requests_.persistent()[a.request(at.request_at)] = request;
}

void TraceRecorder::start_persistent(uintptr_t handle) {
  const auto found = requests_.persistent().find(handle);
  if (found == requests_.persistent().end()) return;
  const PersistentRequest& p = found->second;
  message(p.sends ? EventKind::kIsend : EventKind::kIrecv, p.routine, p.communicator, p.rank, p.tag, p.bytes, handle);
}

void TraceRecorder::free_request() {
  const uintptr_t handle = called_with_[0];
  requests_.persistent().erase(handle);
  const uint32_t number = requests_.find(handle);
  if (number == TraceRequests::kNone) return;
  OpenRequest& request = requests_[number];
  has_detached_ = true;
  if (request.needs_status()) --n_needing_status_;
  if (request.held != kNotHeld) {
    Held& held = held_[request.held - first_held_];
    not_replayed(request.routine, Reason::kUnknownSender);
    held.definition = definition_;
    held.open_request = TraceRequests::kNone;
  }
  requests_.end(handle, number);
  release_held();
}

// Called when the receive's sender has become known, or it was cancelled and has none.
void TraceRecorder::settle_receive(uint32_t number, const Status& met) {
  OpenRequest& request = requests_[number];
  if (request.held != kNotHeld) {
    Held& held = held_[request.held - first_held_];
    held.left_out = met.cancelled;
    if (message_definition(EventKind::kIrecv, request.routine, request.communicator, met.source, met.tag,
                           request.bytes)) {
      trace::put(definition_, number);
    }
    held.definition = definition_;
    held.open_request = TraceRequests::kNone;
    request.held = kNotHeld;
    return;
  }
  if (request.late && !met.cancelled) {
    message_definition(EventKind::kRecv, request.routine, request.communicator, met.source, met.tag, request.bytes);
    emit();
  } else if (!request.late && met.cancelled) {
    emit_not_replayed(kCancel, Reason::kCancelled);
  }
}

void TraceRecorder::complete(uint32_t routine, const Arguments& a) {
  const Roles& at = roles(routine);
  std::vector<size_t> which;
  const size_t n = called_with_.size();
  if (at.flag_at >= 0 && a.integer_in(at.flag_at) == 0) {
    polled_in_vain_ = true;
    return;
  }
  if (at.index_at >= 0) {
    const int index = a.index_in(at.index_at, 0);
    if (index >= 0 && static_cast<size_t>(index) < n) which.push_back(static_cast<size_t>(index));
  } else if (at.indices_at >= 0) {
    const int n_complete = a.integer_in(at.done_at);  // MPI_UNDEFINED is negative
    for (int i = 0; i < n_complete; ++i) {
      const int index = a.index_in(at.indices_at, i);
      if (index >= 0 && static_cast<size_t>(index) < n) which.push_back(static_cast<size_t>(index));
    }
    polled_in_vain_ = kRoutineTable[routine].progress == Progress::kPolled && n_complete == 0;
  } else {
    for (size_t i = 0; i < n; ++i) which.push_back(i);
  }
  complete_these(routine, which, a);
}

// Collectives come first, in the order in which they began: ranks that wait for us there do not wait for the other
// requests of our call. Then receives that stand where they are complete, then one event for all messages.
void TraceRecorder::complete_these(uint32_t routine, const std::vector<size_t>& which, const Arguments& a) {
  const Roles& at = roles(routine);
  // Statuses are at the request's place where all are complete (Waitall, Testall), one after another otherwise.
  const bool in_place = at.index_at < 0 && at.indices_at < 0;
  std::vector<uint32_t> messages;
  std::vector<std::pair<uint64_t, std::string>> collectives;
  size_t place = 0;
  for (const size_t i : which) {
    const size_t status_place = in_place ? i : place++;
    const uintptr_t handle = called_with_[i];
    const uint32_t number = requests_.find(handle);
    if (number == TraceRequests::kNone) continue;
    OpenRequest& request = requests_[number];
    if (request.collective && request.definition == nullptr) {
      const std::vector<PartOfCall> parts = std::move(request.parts);
      requests_.end(handle, number);
      end_parts(parts, messages);
      continue;
    }
    if (request.collective) {
      collectives.emplace_back(request.begun, *request.definition);
      requests_.end(handle, number);
      continue;
    }
    if (request.needs_status()) {
      --n_needing_status_;
      const Status met = status(a, at.status_at, status_place);
      settle_receive(number, met);
      if (request.late || met.cancelled) {
        requests_.end(handle, number);
        continue;
      }
    }
    messages.push_back(number);
    // The request ends at once, because another one of the same handle may follow.
    requests_.end(handle, number);
  }
  release_held();
  std::sort(collectives.begin(), collectives.end());
  for (const auto& [begun, definition] : collectives) {
    definition_ = definition;
    emit();
  }
  emit_wait(routine, std::move(messages));
}

void TraceRecorder::end_parts(const std::vector<PartOfCall>& parts, std::vector<uint32_t>& numbers) {
  for (const PartOfCall& part : parts) {
    numbers.push_back(part.number);
    requests_.end(part.handle, part.number);
  }
}

void TraceRecorder::emit_wait(uint32_t routine, std::vector<uint32_t> numbers) {
  if (numbers.empty()) return;
  begin_definition(EventKind::kWait, routine);
  const bool all = requests_.open() == 0 && !has_detached_;
  trace::put(definition_, all ? 0 : numbers.size());
  if (!all) {
    std::sort(numbers.begin(), numbers.end());
    for (const uint32_t number : numbers) trace::put(definition_, number);
  }
  emit();
}

}  // namespace scalediag::pmpi
