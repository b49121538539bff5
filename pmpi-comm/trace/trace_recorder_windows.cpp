// The events of one-sided communication in a trace: accesses to the memory of other ranks, and what synchronizes them.
//
// Fences are barriers after all accesses. Win_post tells the ranks of its group, whom Win_start waits for; Win_complete
// tells those of its own, whom Win_wait waits for. Locks are accesses that the owner of the memory answers.
#include <utility>

#include "core/raw/raw_format.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {

using trace::EventKind;
using trace::Reason;
using trace::Remote;

void TraceRecorder::window_made(const Arguments& a, const Roles& at) {
  const uint32_t comm = communicator(a.comm(at.comm_at));
  if (comm == kOtherCommunicator || comm == kNoCommunicator) return;
  windows_[a.win_in(at.handle_at)] = {register_communicator(std::vector<uint32_t>(members_[comm]))};
}

void TraceRecorder::one_sided(uint32_t routine, const Arguments& a) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  if (row.rule == Rule::kMakesWindow) {
    const uint32_t comm = communicator(a.comm(at.comm_at));
    if (comm == kOtherCommunicator) return emit_not_replayed(routine, Reason::kIntercommunicator);
    if (comm == kNoCommunicator) return;
    begin_definition(EventKind::kCommunicatorMade, routine);
    trace::put(definition_, comm);
    emit();
    if (!at_once_) window_made(a, at);
    return;
  }
  if (routine == kWin_test && a.integer_in(at.flag_at) == 0) {
    polled_in_vain_ = true;
    return;
  }
  const auto found = windows_.find(row.rule == Rule::kFreesWindow ? window_in_ : a.win(at.win_at));
  if (found == windows_.end()) return emit_not_replayed(routine, Reason::kOneSided);
  if (row.rule != Rule::kNoBytes && row.rule != Rule::kFreesWindow) return access(routine, a, found->second);
  synchronize(routine, a, found->second);
  if (row.rule == Rule::kFreesWindow) windows_.erase(found);
}

void TraceRecorder::remote(uint32_t routine, Remote what, const TraceWindow& window, int rank, uint64_t bytes,
                           uint32_t request) {
  const uint32_t peer = world_rank(window.communicator, rank);
  if (peer == raw::kUnknownPeer) return emit_not_replayed(routine, Reason::kOtherProcess);
  begin_definition(EventKind::kRemote, routine);
  trace::put(definition_, static_cast<uint64_t>(what));
  trace::put(definition_, peer);
  trace::put(definition_, window.communicator);
  trace::put(definition_, bytes);
  trace::put(definition_, request);
  emit();
}

void TraceRecorder::access(uint32_t routine, const Arguments& a, TraceWindow& window) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  const int rank = a.integer(at.peer_at);
  if (rank == mpi_.constants.proc_null) return;
  const bool is_locked = window.is_locked(rank);
  Remote what = is_locked ? Remote::kPutAnswered : window.started.empty() ? Remote::kPut : Remote::kPutLeft;
  uint64_t bytes = 0;
  switch (row.rule) {
    case Rule::kGet:
      what = Remote::kGet;
      bytes = bytes_at(a, at.count_at, at.type_at);
      break;
    case Rule::kGetAccumulate:
      what = a.op(at.op_at) == mpi_.constants.no_op ? Remote::kGet : Remote::kFetch;
      bytes = bytes_at(a, at.recv_count_at, at.recv_type_at);
      break;
    case Rule::kOneElement:
      what = Remote::kFetch;
      bytes = bytes_of(1, a.type(at.type_at));
      break;
    default: bytes = bytes_at(a, at.count_at, at.type_at);
  }
  if (row.is_nonblocking()) {
    return remote(routine, what, window, rank, bytes, requests_.begin(a.request(at.request_at), {}));
  }
  const auto [open, is_new] = window.open.try_emplace(is_locked ? rank : TraceWindow::kAllRanks);
  if (is_new) open->second = requests_.begin_part();
  remote(routine, what, window, rank, bytes, open->second.number);
}

// Waits for the accesses of one rank, or of all; and for one more.
void TraceRecorder::await_accesses(uint32_t routine, TraceWindow& window, std::optional<int> rank,
                                   const PartOfCall* also) {
  std::vector<PartOfCall> parts;
  for (auto open = window.open.begin(); open != window.open.end();) {
    if (rank && open->first != *rank) {
      ++open;
      continue;
    }
    parts.push_back(open->second);
    open = window.open.erase(open);
  }
  if (also != nullptr) parts.push_back(*also);
  await_parts(routine, parts);
}

void TraceRecorder::barrier(uint32_t routine, uint32_t comm) {
  begin_definition(EventKind::kCollective, routine);
  trace::put(definition_, comm);
  trace::put(definition_, static_cast<uint64_t>(Collective::kBarrier));
  trace::put(definition_, 0);
  trace::put(definition_, 0);
  emit();
}

// Without data these are over when they are sent: "all that are outstanding" stays exact.
void TraceRecorder::signal(uint32_t routine, const TraceWindow& window, const std::vector<uint32_t>& to, int tag) {
  for (const uint32_t peer : to) {
    if (peer == rank_) continue;
    if (peer == raw::kUnknownPeer) {
      emit_not_replayed(routine, Reason::kOtherProcess);
      continue;
    }
    begin_definition(EventKind::kBufferedSend, routine);
    trace::put(definition_, peer);
    trace::put_signed(definition_, tag);
    trace::put(definition_, window.communicator);
    trace::put(definition_, 0);
    emit();
  }
}

void TraceRecorder::await_signals(uint32_t routine, const TraceWindow& window, const std::vector<uint32_t>& from,
                                  int tag) {
  std::vector<PartOfCall> parts;
  for (const uint32_t peer : from) {
    if (peer == rank_) continue;
    if (peer == raw::kUnknownPeer) {
      emit_not_replayed(routine, Reason::kOtherProcess);
      continue;
    }
    parts.push_back(requests_.begin_part());
    begin_definition(EventKind::kIrecv, routine);
    trace::put(definition_, peer);
    trace::put_signed(definition_, tag);
    trace::put(definition_, window.communicator);
    trace::put(definition_, 0);
    trace::put(definition_, parts.back().number);
    emit();
  }
  await_parts(routine, parts);
}

void TraceRecorder::synchronize(uint32_t routine, const Arguments& a, TraceWindow& window) {
  const Roles& at = kRoutineTable[routine].roles;
  switch (routine) {
    case kWin_fence:
    case kWin_free: await_accesses(routine, window, std::nullopt); return barrier(routine, window.communicator);
    case kWin_post:
    case kWin_start: {
      auto ranks = handles_->ranks_in_world(a.group(at.group_at));
      if (!ranks) return emit_not_replayed(routine, trace::Reason::kUnknown);
      WorldRanks& to = routine == kWin_post ? window.posted : window.started;
      to = std::move(*ranks);
      if (routine == kWin_post) return signal(routine, window, to, trace::kPostTag);
      return await_signals(routine, window, to, trace::kPostTag);
    }
    case kWin_complete:
      await_accesses(routine, window, TraceWindow::kAllRanks);
      signal(routine, window, std::exchange(window.started, {}), trace::kCompleteTag);
      return;
    case kWin_wait:
    case kWin_test: return await_signals(routine, window, std::exchange(window.posted, {}), trace::kCompleteTag);
    case kWin_lock_all: window.all_locked = true; return;
    case kWin_unlock_all: window.all_locked = false; return await_accesses(routine, window, std::nullopt);
    case kWin_flush_all:
    case kWin_flush_local_all: return await_accesses(routine, window, std::nullopt);
    case kWin_lock:
    case kWin_unlock:
    case kWin_flush:
    case kWin_flush_local: break;
    default: return;  // Win_sync
  }
  const int rank = a.integer(at.peer_at);
  if (rank == mpi_.constants.proc_null) return;
  if (routine == kWin_flush || routine == kWin_flush_local) return await_accesses(routine, window, rank);
  const bool locks = routine == kWin_lock;
  const bool is_shared = locks && a.integer(at.lock_at) == mpi_.constants.lock_shared;
  const PartOfCall answer = requests_.begin_part();
  remote(routine, locks ? is_shared ? Remote::kLockShared : Remote::kLock : Remote::kUnlock, window, rank, 0,
         answer.number);
  if (locks) {
    window.locked.insert(rank);
  } else {
    window.locked.erase(rank);
  }
  await_accesses(routine, window, rank, &answer);
}

}  // namespace scalediag::pmpi
