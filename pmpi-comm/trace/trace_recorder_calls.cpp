// The events of each routine's call in a trace. Positions of arguments are those of the C form.
#include <algorithm>

#include "core/raw/raw_format.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {
namespace {

using trace::EventKind;
using trace::Reason;

// The positions of a routine's array of requests and of its results about them.
struct Completion {
  int count_at = -1;  // -1: one request
  int requests_at = -1;
  int flag_at = -1;     // whether anything is complete
  int index_at = -1;    // the one that is complete
  int indices_at = -1;  // those that are complete, with their number before it
  int status_at = -1;
};

bool completion_of(uint32_t routine, Completion& c) {
  switch (routine) {
    case kWait:
      c = {-1, 0, -1, -1, -1, 1};
      return true;
    case kWaitany:
      c = {0, 1, -1, 2, -1, 3};
      return true;
    case kWaitall:
      c = {0, 1, -1, -1, -1, 2};
      return true;
    case kWaitsome:
    case kTestsome:
      c = {0, 1, -1, -1, 3, 4};
      return true;
    case kTest:
      c = {-1, 0, 1, -1, -1, 2};
      return true;
    case kTestany:
      c = {0, 1, 3, 2, -1, 4};
      return true;
    case kTestall:
      c = {0, 1, 2, -1, -1, 3};
      return true;
    default:
      return false;
  }
}

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
  return {ints[c.status_source_at], ints[c.status_tag_at],
          (static_cast<unsigned>(ints[c.status_cancelled_at]) & c.status_cancelled_mask) != 0};
}

void TraceRecorder::read_requests(const Arguments& a, int count_at, int at) {
  called_with_.clear();
  const int n = count_at < 0 ? 1 : a.integer(count_at);
  for (int i = 0; i < n; ++i) called_with_.push_back(a.request(at, i));
}

void TraceRecorder::before_call(uint32_t routine, const Arguments& a, uintptr_t* values) {
  const MpiConstants& c = mpi_.constants;
  const auto any = [&](int rank_at, int tag_at) {
    return a.integer(rank_at) == c.any_source || a.integer(tag_at) == c.any_tag;
  };
  Completion completion;
  if (completion_of(routine, completion)) {
    read_requests(a, completion.count_at, completion.requests_at);
    if (n_needing_status_ > 0) {
      want_status(a, values, completion.status_at, called_with_.size());
    }
    return;
  }
  switch (routine) {
    case kRecv:
      if (any(3, 4)) want_status(a, values, 6, 1);
      break;
    case kSendrecv:
      if (any(8, 9)) want_status(a, values, 11, 1);
      break;
    case kSendrecv_replace:
      if (any(5, 6)) want_status(a, values, 8, 1);
      break;
    case kMprobe:
      if (any(0, 1)) want_status(a, values, 4, 1);
      break;
    case kImprobe:
      if (any(0, 1)) want_status(a, values, 5, 1);
      break;
    case kMrecv:
    case kImrecv:
      message_in_ = a.message_in(3);
      break;
    case kRequest_free:
    case kCancel:
      read_requests(a, -1, 0);
      break;
    default:
      break;
  }
}

void TraceRecorder::after_call(uint32_t routine, const Arguments& a) {
  const Rule rule = kRoutineTable[routine].rule;
  Completion completion;
  if (completion_of(routine, completion)) return complete(routine, a);
  switch (routine) {
    case kSend:
    case kSsend:
    case kRsend:
      return point_to_point(routine, a, EventKind::kSend);
    case kBsend:
      return point_to_point(routine, a, EventKind::kBufferedSend);
    case kRecv:
      return point_to_point(routine, a, EventKind::kRecv);
    case kIsend:
    case kIssend:
    case kIrsend:
    case kIbsend:
      return point_to_point(routine, a, EventKind::kIsend);
    case kIrecv:
      return point_to_point(routine, a, EventKind::kIrecv);
    case kSendrecv:
    case kSendrecv_replace:
      return send_receive(routine, a);
    case kMprobe:
      return remember_matched(a, 3);
    case kImprobe:
      if (a.integer_in(3) == 0) {
        polled_in_vain_ = true;
      } else {
        remember_matched(a, 4);
      }
      return;
    case kIprobe:
      polled_in_vain_ = a.integer_in(3) == 0;
      return;
    case kMrecv:
    case kImrecv:
      return receive_matched(routine, a);
    case kStart:
      return start_persistent(a.request(0));
    case kStartall:
      for (int i = 0; i < a.integer(0); ++i) start_persistent(a.request(1, i));
      return;
    case kRequest_free:
      return free_request();
    case kCancel:
      if (const uint32_t number = requests_.find(called_with_[0]); number != TraceRequests::kNone) {
        OpenRequest& request = requests_[number];
        if (!request.needs_status()) ++n_needing_status_;
        request.cancelled = true;
      }
      return;
    case kIsendrecv:
    case kIsendrecv_replace:
    case kIntercomm_create:
    case kIntercomm_merge:
    case kComm_join:
    case kComm_spawn:
    case kComm_spawn_multiple:
    case kComm_accept:
    case kComm_connect:
      not_replayed(routine, routine == kIsendrecv || routine == kIsendrecv_replace ? Reason::kUnknown
                                                                                   : Reason::kIntercommunicator);
      return emit();
    default:
      break;
  }
  if (rule == Rule::kPersistentSend || rule == Rule::kPersistentReceive) return make_persistent(routine, a);
  if (rule == Rule::kMakesComm) return communicator_made(routine, a);
  if (routine >= kBarrier && routine <= kIneighbor_alltoallw) return collective(routine, a);
  if (routine >= kFile_open && routine <= kFile_sync) {
    not_replayed(routine, Reason::kUnknown);
    emit();
  }
  if (routine >= kPut && routine <= kWin_sync) {
    not_replayed(routine, Reason::kOneSided);
    emit();
  }
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
  int rank = a.integer(3);
  if (rank == mpi_.constants.proc_null) return;
  int tag = a.integer(4);
  if (kind == EventKind::kRecv && (rank == mpi_.constants.any_source || tag == mpi_.constants.any_tag)) {
    const Status met = status(a, 6, 0);
    rank = met.source;
    tag = met.tag;
  }
  const bool nonblocking = kind == EventKind::kIsend || kind == EventKind::kIrecv;
  message(kind, routine, communicator(a.comm(5)), rank, tag, bytes_at(a, 1, 2), nonblocking ? a.request(6) : 0);
}

void TraceRecorder::send_receive(uint32_t routine, const Arguments& a) {
  const bool replaces = routine == kSendrecv_replace;
  const int to = a.integer(3);
  int from = a.integer(replaces ? 5 : 8);
  int receive_tag = a.integer(replaces ? 6 : 9);
  const MpiConstants& c = mpi_.constants;
  if (from != c.proc_null && (from == c.any_source || receive_tag == c.any_tag)) {
    const Status met = status(a, replaces ? 8 : 11, 0);
    from = met.source;
    receive_tag = met.tag;
  }
  if (to == c.proc_null && from == c.proc_null) return;
  const uint32_t comm = communicator(a.comm(replaces ? 7 : 10));
  if (comm == kOtherCommunicator || comm == kNoCommunicator) {
    not_replayed(routine, Reason::kIntercommunicator);
    return emit();
  }
  const uint32_t to_world = to == c.proc_null ? 0 : world_rank(comm, to);
  const uint32_t from_world = from == c.proc_null ? 0 : world_rank(comm, from);
  if (to_world == raw::kUnknownPeer || from_world == raw::kUnknownPeer) {
    not_replayed(routine, Reason::kOtherProcess);
    return emit();
  }
  const uint64_t sent = bytes_at(a, 1, 2);
  begin_definition(EventKind::kSendrecv, routine);
  trace::put(definition_, comm);
  const auto put_side = [&](bool nobody, uint32_t peer, int tag, uint64_t bytes) {
    trace::put(definition_, nobody ? 0 : static_cast<uint64_t>(peer) + 1);
    trace::put_signed(definition_, nobody ? 0 : tag);
    trace::put(definition_, nobody ? 0 : bytes);
  };
  put_side(to == c.proc_null, to_world, a.integer(4), sent);
  put_side(from == c.proc_null, from_world, receive_tag, replaces ? sent : bytes_at(a, 6, 7));
  emit();
}

void TraceRecorder::remember_matched(const Arguments& a, int message_at) {
  const uintptr_t handle = a.message_in(message_at);
  if (handle == mpi_.constants.message_no_proc) return;
  const MpiConstants& c = mpi_.constants;
  MatchedMessage matched{communicator(a.comm(2)), a.integer(0), a.integer(1)};
  if (matched.source == c.any_source || matched.tag == c.any_tag) {
    const Status met = status(a, message_at + 1, 0);
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
  const bool nonblocking = routine == kImrecv;
  message(nonblocking ? EventKind::kIrecv : EventKind::kRecv, routine, matched.communicator, matched.source,
          matched.tag, bytes_at(a, 1, 2), nonblocking ? a.request(4) : 0);
}

void TraceRecorder::make_persistent(uint32_t routine, const Arguments& a) {
  PersistentRequest request;
  request.sends = kRoutineTable[routine].rule == Rule::kPersistentSend;
  request.routine = routine;
  request.rank = a.integer(3);
  request.tag = a.integer(4);
  if (request.rank != mpi_.constants.proc_null) {
    request.communicator = communicator(a.comm(5));
    request.bytes = bytes_at(a, 1, 2);
  }
  requests_.persistent()[a.request(6)] = request;
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
    not_replayed(kCancel, Reason::kCancelled);
    emit();
  }
}

void TraceRecorder::complete(uint32_t routine, const Arguments& a) {
  Completion c;
  completion_of(routine, c);
  std::vector<size_t> which;
  const size_t n = called_with_.size();
  if (c.flag_at >= 0 && a.integer_in(c.flag_at) == 0) {
    polled_in_vain_ = true;
    return;
  }
  if (c.index_at >= 0) {
    const int index = a.index_in(c.index_at, 0);
    if (index >= 0 && static_cast<size_t>(index) < n) which.push_back(static_cast<size_t>(index));
  } else if (c.indices_at >= 0) {
    const int n_complete = a.integer_in(2);  // MPI_UNDEFINED is negative
    for (int i = 0; i < n_complete; ++i) {
      const int index = a.index_in(c.indices_at, i);
      if (index >= 0 && static_cast<size_t>(index) < n) which.push_back(static_cast<size_t>(index));
    }
    polled_in_vain_ = routine == kTestsome && n_complete == 0;
  } else {
    for (size_t i = 0; i < n; ++i) which.push_back(i);
  }
  complete_these(routine, which, a, c.status_at);
}

// Collectives come first, in the order in which they began: ranks that wait for us there do not wait for the other
// requests of our call. Then receives that stand where they are complete, then one event for all messages.
void TraceRecorder::complete_these(uint32_t routine, const std::vector<size_t>& which, const Arguments& a,
                                   int status_at) {
  // Statuses are at the request's place where all are complete (Waitall, Testall), one after another otherwise.
  const bool in_place = routine == kWaitall || routine == kTestall;
  struct Done {
    uintptr_t handle;
    uint32_t number;
    Status status;
  };
  std::vector<Done> messages;
  std::vector<std::pair<uint64_t, std::string>> collectives;
  size_t place = 0;
  for (const size_t i : which) {
    const size_t status_place = in_place ? i : place++;
    const uintptr_t handle = called_with_[i];
    const uint32_t number = requests_.find(handle);
    if (number == TraceRequests::kNone) continue;
    OpenRequest& request = requests_[number];
    if (request.collective) {
      collectives.emplace_back(request.begun, request.definition);
      requests_.end(handle, number);
      continue;
    }
    Done done{handle, number, {}};
    if (request.needs_status()) {
      --n_needing_status_;
      done.status = status(a, status_at, status_place);
      settle_receive(number, done.status);
      if (request.late || done.status.cancelled) {
        requests_.end(handle, number);
        continue;
      }
    }
    messages.push_back(done);
    // The request ends at once, because another one of the same handle may follow.
    requests_.end(handle, number);
  }
  release_held();
  std::sort(collectives.begin(), collectives.end());
  for (const auto& [begun, definition] : collectives) {
    definition_ = definition;
    emit();
  }
  if (messages.empty()) return;
  begin_definition(EventKind::kWait, routine);
  const bool all = requests_.open() == 0 && !has_detached_;
  trace::put(definition_, all ? 0 : messages.size());
  if (!all) {
    std::sort(messages.begin(), messages.end(), [](const Done& x, const Done& y) { return x.number < y.number; });
    for (const Done& done : messages) trace::put(definition_, done.number);
  }
  emit();
}

}  // namespace scalediag::pmpi
