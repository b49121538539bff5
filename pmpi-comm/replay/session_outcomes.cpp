// What each kind of call gives back: the one description by which it is logged and answered.
#include <algorithm>
#include <utility>

#include "pmpi-comm/replay/session.h"

namespace scalediag::pmpi {
namespace {

LoggedRequest::Kind message_kind(bool with_nobody) {
  return with_nobody ? LoggedRequest::Kind::kNothing : LoggedRequest::Kind::kMessage;
}

}  // namespace

void Session::outcome(uint32_t routine, const Arguments& a, const uintptr_t* values, const Arguments& wanted,
                      const LoggedComm* comm, std::vector<Block> blocks) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  const bool wants_status = at.status_at >= 0 && !wanted.ignores_status(at.status_at);
  const int* status = at.status_at >= 0 ? a.integers(at.status_at) : nullptr;
  const auto is_nobody = [&](int position) {
    return position < 0 || a.integer(position) == mpi_.constants().proc_null;
  };
  switch (row.group) {
    case Group::kSend:
      if (row.is_nonblocking()) begin_request(row, values, message_kind(is_nobody(at.peer_at)), {});
      return note_events(is_nobody(at.peer_at) ? 0 : 1);
    case Group::kReceive:
    case Group::kSendReceive: {
      if (at.message_at >= 0 && !recording()) drop_message(values[at.message_at]);
      const bool nobody = at.message_at < 0 && is_nobody(at.peer_at) && is_nobody(at.source_at);
      const uint64_t number = at.message_at >= 0 ? probed(message_) : begin_receive(receive_of(row, a, comm));
      for (Block& block : blocks) block.receive = number;
      if (row.is_nonblocking()) {
        begin_request(row, values, message_kind(nobody), std::move(blocks));
      } else {
        if (wants_status) pass_statuses(status, 1);
        for (Block& block : blocks) fill(block, status);
      }
      return note_events(nobody ? 0 : 1);
    }
    case Group::kProbe: return probe(row, values, comm, wants_status);
    case Group::kPersistent:
      if (!row.is_nonblocking()) return start_requests(row);
      begin_request(row, values, message_kind(is_nobody(at.peer_at)), std::move(blocks));
      if (LoggedRequest* request = requests_.find(read_handle(values[at.request_at])); request != nullptr) {
        request->from = receive_of(row, a, comm);
        request->sends = message_of(row, a, values, comm);
        if (request->sends.to >= 0) request->sent = KeptBlocks({request->sends.contents}, mpi_);
      }
      return;
    case Group::kCompletion: return complete_requests(row, a, values, wants_status);
    case Group::kRequest:
      return row.rule == Rule::kFreesRequest ? free_request(values, row)
                                             : complete_requests(row, a, values, wants_status);
    case Group::kCollective:
    case Group::kNeighborhood:
      if (row.is_nonblocking()) {
        begin_request(row, values, LoggedRequest::Kind::kCollective, std::move(blocks));
      } else {
        for (Block& block : blocks) fill(block, nullptr);
      }
      return note_events(comm != nullptr ? 1 : 0);
    case Group::kCommunicator:
    case Group::kIntercommunicator:
      if (row.rule == Rule::kMakesCommLater) begin_request(row, values, LoggedRequest::Kind::kNothing, {});
      if (row.rule == Rule::kMakesComm || row.rule == Rule::kMakesCommLater) make_comm(routine, values, comm);
      return;
    case Group::kFile: return use_file(routine, a, values, wants_status, std::move(blocks));
    case Group::kOneSided:
      return one_sided(routine, a, values, at.win_at >= 0 ? window_of(a.win(at.win_at)) : nullptr, std::move(blocks));
    default: return;
  }
}

bool Session::is_cancelled(const int* status) const { return mpi_.library->is_cancelled(status); }

void Session::pass_statuses(const int* at, size_t n) {
  log_.pass_bytes(const_cast<int*>(at), n * static_cast<size_t>(mpi_.constants().status_ints) * sizeof(int));
}

// Of a message only what has come, in whole elements: the rest of the last one is logged as it was before.
void Session::fill(Block& block, const int* status) {
  auto elements = static_cast<uint64_t>(block.count);
  bool is_whole = true;
  if (recording() && block.is_message && status != nullptr) {
    int bytes = 0;
    if (!block.is_read && is_cancelled(status)) {
      elements = 0;
    } else if (mpi_.get_count(status, mpi_.byte, &bytes) == 0 && bytes >= 0) {
      const int64_t size = bytes_of(mpi_, 1, block.type);
      if (size > 0) elements = std::min(elements, static_cast<uint64_t>((bytes + size - 1) / size));
      is_whole = static_cast<int64_t>(elements) * size == bytes;
    }
  }
  log_.pass_number(elements);
  if (elements > static_cast<uint64_t>(block.count)) {
    depart("call " + std::to_string(calls_) + " has no room for what the log has");
  }
  if (!pass_sender(block, elements, status, is_whole)) pass_contents(block, static_cast<int64_t>(elements));
}

void Session::pass_contents(const Block& block, int64_t elements) {
  const bool is_large = !left_out_.empty() && bytes_of(mpi_, elements, block.type) > message_log::kSmallContents;
  const auto place = is_large ? left_out_.place_of(events_) : LeftOutContents::Place();
  Block filled = block;
  filled.count = elements;
  if (place.is_left_out) {
    if (!recording()) unpack(mpi_, filled, left_out_.kept(place));
    return;
  }
  pass_elements(log_, mpi_, block, elements);
  if (place.is_kept && !recording()) left_out_.keep(place, packed(mpi_, filled));
}

uintptr_t Session::new_request() {
  uintptr_t handle = 0;
  if (!free_requests_.empty()) {
    handle = free_requests_.back();
    free_requests_.pop_back();
  } else {
    mpi_.recv_init(nullptr, 0, mpi_.byte, 0, 0, mpi_.comm_self, &handle);
  }
  return handle;
}

void Session::begin_request(const Routine& row, const uintptr_t* values, LoggedRequest::Kind kind,
                            std::vector<Block> blocks) {
  const uintptr_t at = values[row.roles.request_at];
  LoggedRequest request;
  request.kind = kind;
  request.persistent = row.group == Group::kPersistent;
  request.active = !request.persistent;
  // MPI gives several requests that are complete already one handle; what these receive is logged at once.
  uint64_t is_complete = 0;
  if (!blocks.empty() && !request.persistent) {
    std::vector<int> status(static_cast<size_t>(mpi_.constants().status_ints), 0);
    int flag = 0;
    if (recording()) mpi_.request_get_status(read_handle(at), &flag, status.data());
    is_complete = flag != 0;
    log_.pass_number(is_complete);
    if (is_complete != 0) {
      for (Block& block : blocks) fill(block, status.data());
      blocks.clear();
    }
  }
  request.blocks = KeptBlocks(std::move(blocks), mpi_);
  if (recording()) {
    if (request.persistent || !request.blocks.empty()) {
      requests_.add(read_handle(at), std::move(request), mpi_);
    } else {
      requests_.add_bare(read_handle(at), kind);
    }
    return;
  }
  const uintptr_t handle = new_request();
  requests_.add(handle, std::move(request), mpi_);
  write_handle(at, handle);
}

void Session::start_requests(const Routine& row) {
  int events = 0;
  for (const uintptr_t handle : called_with_) {
    LoggedRequest* request = requests_.find(handle);
    if (request == nullptr) continue;
    request->active = true;
    if (!request->blocks.empty()) request->blocks.set_receive(begin_receive(request->from));
    for (const Block& block : request->sent) {
      request->sends.contents = block;
      send(request->sends);
    }
    if (request->kind == LoggedRequest::Kind::kMessage) ++events;
  }
  note_events(row.group == Group::kPersistent ? events : 0);
}

void Session::free_request(const uintptr_t* values, const Routine& row) {
  const uintptr_t handle = called_with_[0];
  if (LoggedRequest* request = requests_.find(handle); request != nullptr && recording()) {
    for (const Block& block : request->blocks) order_.lose(block.receive);
  } else if (recording()) {
    requests_.take_bare(handle);
  }
  requests_.remove(handle, mpi_);
  if (recording()) return;
  free_requests_.push_back(handle);
  write_handle(values[row.roles.requests_at], mpi_.constants().request_null);
}

// MPI_Cancel, which says nothing. A receive that it ends leaves its message to a later one.
void Session::cancel() {
  LoggedRequest* request = requests_.find(called_with_[0]);
  if (request == nullptr || !recording()) return;
  for (const Block& block : request->blocks) order_.doubt(block.receive);
}

// The request i of the present call. `address`: of the handles, 0 for a request that only was asked about.
void Session::complete(size_t i, uintptr_t address, const int* status) {
  const uintptr_t handle = called_with_[i];
  LoggedRequest* request = requests_.find(handle);
  if (request == nullptr && recording() && address != 0) note_complete(requests_.take_bare(handle));
  if (request == nullptr || !request->active) return;
  for (Block& block : request->blocks) fill(block, status);
  if (address == 0) {
    if (!request->persistent) request->blocks.clear(mpi_);
    return;
  }
  note_complete(request->kind);
  if (request->persistent) {
    request->active = false;
    return;
  }
  requests_.remove(handle, mpi_);
  if (recording()) return;
  free_requests_.push_back(handle);
  write_handle(address, mpi_.constants().request_null, i);
}

void Session::note_complete(LoggedRequest::Kind kind) {
  if (kind == LoggedRequest::Kind::kCollective) ++collectives_done_;
  messages_done_ = messages_done_ || kind == LoggedRequest::Kind::kMessage;
}

void Session::complete_requests(const Routine& row, const Arguments& a, const uintptr_t* values, bool wants_status) {
  const Roles& at = row.roles;
  const bool only_asked = row.group == Group::kRequest;
  if (only_asked) {
    if (at.status_at < 0) return cancel();
    called_with_.assign(1, a.request_by_value(0));
  }
  const int* statuses = a.integers(at.status_at);
  const auto pass_int = [this, values](int position) {
    log_.pass_bytes(reinterpret_cast<void*>(values[position]), sizeof(int));
    return log_.ok() ? *reinterpret_cast<const int*>(values[position]) : 0;
  };
  const bool found = at.flag_at < 0 || pass_int(at.flag_at) != 0;
  std::vector<size_t> which;
  const size_t n = called_with_.size();
  const bool in_place = at.index_at < 0 && at.indices_at < 0;  // statuses are at their requests' places
  if (at.index_at >= 0) {
    const int index = pass_int(at.index_at);
    if (found && index >= 0 && static_cast<size_t>(index) < n) which.push_back(static_cast<size_t>(index));
  } else if (at.indices_at >= 0) {
    const int done = pass_int(at.done_at);
    for (int i = 0; i < done && static_cast<size_t>(i) < n; ++i) {
      log_.pass_bytes(reinterpret_cast<int*>(values[at.indices_at]) + i, sizeof(int));
      const int index = a.index_in(at.indices_at, i);
      if (log_.ok() && index >= 0 && static_cast<size_t>(index) < n) which.push_back(static_cast<size_t>(index));
    }
  } else if (found) {
    for (size_t i = 0; i < n; ++i) which.push_back(i);
  }
  if (wants_status && found) {
    // Where one of several is asked for and none was active, MPI sets an empty status all the same.
    pass_statuses(statuses, at.index_at >= 0 ? 1 : which.size());
  }
  collectives_done_ = 0;
  messages_done_ = false;
  for (size_t place = 0; place < which.size() && log_.ok(); ++place) {
    const int* status = recording() ? status_at(statuses, in_place ? which[place] : place) : nullptr;
    complete(which[place], only_asked ? 0 : values[at.requests_at], status);
  }
  note_events(collectives_done_ + (messages_done_ ? 1 : 0));
}

void Session::probe(const Routine& row, const uintptr_t* values, const LoggedComm* comm, bool wants_status) {
  const Roles& at = row.roles;
  if (at.flag_at >= 0) {
    auto* flag = reinterpret_cast<int*>(values[at.flag_at]);
    log_.pass_bytes(flag, sizeof(int));
    if (!log_.ok() || *flag == 0) return;
  }
  if (wants_status) pass_statuses(reinterpret_cast<const int*>(values[at.status_at]), 1);
  if (at.message_at < 0) return;
  const uintptr_t no_message = mpi_.constants().message_no_proc;
  uint64_t is_none = recording() && read_handle(values[at.message_at]) == no_message ? 1 : 0;
  log_.pass_number(is_none);
  if (!recording()) {
    write_handle(values[at.message_at], is_none != 0 ? no_message : new_message());
  } else if (is_none == 0) {
    note_probed(read_handle(values[at.message_at]), comm, reinterpret_cast<const int*>(values[at.status_at]));
  }
}

// A message to this process itself, which was found and is to be received.
uintptr_t Session::new_message() {
  uintptr_t message = 0, request = 0;
  mpi_.isend(nullptr, 0, mpi_.byte, 0, 0, mpi_.comm_self, &request);
  mpi_.mprobe(0, 0, mpi_.comm_self, &message, mpi_.constants().status_ignore_c);
  mpi_.request_free(&request);
  return message;
}

void Session::drop_message(uintptr_t address) {
  mpi_.mrecv(nullptr, 0, mpi_.byte, reinterpret_cast<void*>(address), mpi_.constants().status_ignore_c);
}

// The computation since the last event belongs to the first of these.
void Session::note_events(int n) {
  events_ += static_cast<uint64_t>(n);
  if (recording()) return;
  for (; n > 0; --n) {
    computation_s_.push_back(pending_s_);
    pending_s_ = 0;
  }
}

}  // namespace scalediag::pmpi
