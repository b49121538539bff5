#include "pmpi-comm/replay/session.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace scalediag::pmpi {

namespace {

std::string by_another_thread(uint64_t routine) {
  return std::string(logged_name(routine)) + " was called by a thread other than the one that called MPI_Init";
}

// Whether it makes an intercommunicator with a program that was started by itself.
bool routine_joins(const Routine& row) {
  return &row == &kRoutineTable[kComm_join] || &row == &kRoutineTable[kComm_accept] ||
         &row == &kRoutineTable[kComm_connect];
}

// Of memory that nobody uses, since the application still has to get its own; in bytes.
uint64_t most_to_unpack_ahead() {
  const auto unused = static_cast<uint64_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES))) *
                      static_cast<uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return std::min(unused / 8, uint64_t{1} << 30);
}

// A put, a get or an atomic, which neither tells others anything nor is told.
bool is_window_operation(const Routine& row) {
  switch (row.rule) {
    case Rule::kPut:
    case Rule::kGet:
    case Rule::kGetAccumulate:
    case Rule::kOneElement: return true;
    default: return false;
  }
}

}  // namespace

SessionHost* Session::host_ = nullptr;
std::atomic<bool> Session::active_{false};
__thread bool Session::inside_ = false;

Session& Session::get() {
  static Session* const session = new Session;
  return *session;
}

std::string text_of(const message_log::Call& call) {
  std::string text(logged_name(call.routine));
  const auto add = [&text](const char* before, int64_t number, const char* after = "") {
    text += before + std::to_string(number) + after;
  };
  const bool is_counted = call.routine < kRoutines;
  const Roles roles = is_counted ? kRoutineTable[call.routine].roles : Roles{};
  if (roles.requests_at >= 0) {
    add(" of ", call.bytes, " requests");
  } else if (call.bytes != 0) {
    add(" of ", call.bytes, " bytes");
  }
  if (roles.root_at >= 0) add(", root ", call.peer);
  if (roles.peer_at >= 0) add(roles.recv_at >= 0 && roles.source_at < 0 ? " from " : " to ", call.peer);
  if (roles.tag_at >= 0) add(" with tag ", call.tag);
  if (roles.source_at >= 0) add(", from ", call.source);
  if (roles.source_tag_at >= 0) add(" with tag ", call.source_tag);
  if (call.room != 0) add(", room for ", call.room, " bytes");
  const bool is_file = is_counted && uses_file(kRoutineTable[call.routine]);
  if (is_file && has_place(kRoutineTable[call.routine])) add(" at ", call.tag);
  if (call.communicator >= 0) {
    add(roles.win_at >= 0 ? ", window " : is_file ? ", file " : ", communicator ", call.communicator);
  }
  return text;
}

void Session::begin(double ns_per_tick) {
  if (host_ == nullptr || active_) return;
  const Inside inside;
  message_log::Identity identity;
  int size = 0, rank = 0;
  if (mpi_.constants().family == MpiFamily::kUnknown) depart("the MPI library " + mpi_.library->path + " is not known");
  mpi_.comm_size(mpi_.constants().comm_world, &size);
  mpi_.comm_rank(mpi_.constants().comm_world, &rank);
  ns_per_tick_ = ns_per_tick;
  if (const std::string_view file = host_->log_to_replay(); !file.empty()) {
    if (!log_.replay(file, identity, most_to_unpack_ahead()))
      depart("the log is damaged, or no log of this version of scalediag");
    if (identity.routines != checksum_of_routines()) {
      depart("the log was recorded by another build of scalediag, which numbers routines otherwise");
    }
    if (size != 1) depart("MPI started " + std::to_string(size) + " ranks for the replay of one");
    rank = static_cast<int>(identity.rank);
    size = static_cast<int>(identity.size);
  } else {
    LogSink* sink = host_->begin_recording(rank, size, mpi_.library->version.c_str(), identity);
    if (sink == nullptr) return;
    log_.record(*sink);
  }
  last_event_ = identity.events;
  more_events_ = identity.more_events;
  left_out_ = LeftOutContents(identity.left_out);
  logs_system_ = identity.system != 0;
  learn_comm(mpi_.constants().comm_world, {0, rank, size, size});
  learn_comm(mpi_.comm_self, {0, 0, 1, 1});
  share_messages(identity.node, rank, size);
  thread_ = pthread_self();
  process_ = syscall(SYS_getpid);
  ahead_ = log_.unpacking_ticks();
  begun_ = ticks();
  if (!recording()) clock_.start(ns_per_tick);
  active_.store(true, std::memory_order_release);
}

void Session::end(uint64_t logged_routine) {
  if (!sees_calls()) return;
  const Inside inside;
  message_log::Call call;
  call.routine = logged_routine;
  if (!arrive(logged_routine) || !enter(call)) return;
  active_.store(false, std::memory_order_release);
  if (recording()) {
    finish_recording("");
    return;
  }
  if (measured_ == 0) computation_s_.push_back(pending_s_);
  finish_replay();
}

void Session::finish_replay() {
  exchange_.leave();
  if (measured_ != 0) computation_s_.resize(last_event_);
  host_->end_replay(computation_s_, times());
}

ReplayTimes Session::times() const {
  const auto seconds = [this](uint64_t passed) { return static_cast<double>(passed) * ns_per_tick_ * 1e-9; };
  return {seconds((measured_ != 0 ? measured_ : ticks()) - begun_), seconds(ahead_),
          seconds(log_.unpacking_ticks() - ahead_)};
}

void Session::leave_process() {
  if (!active_) return;
  Session& session = get();
  if (session.recording()) return session.finish_recording(std::string(message_log::kWithoutFinalize));
  if (syscall(SYS_getpid) == session.process_) session.exchange_.leave();
}

void Session::finish_recording(const std::string& refused) {
  active_.store(false, std::memory_order_release);
  const uint64_t before = ticks();
  log_.flush();
  recorder_ += ticks() - before;
  message_log::End end;
  end.calls = calls_;
  end.stream_bytes = log_.stream_bytes();
  end.recorder_ns = static_cast<uint64_t>(static_cast<double>(recorder_) * ns_per_tick_);
  end.events = events_;
  host_->end_recording(end, refused);
}

void Session::depart(const std::string& reason) {
  host_->depart(reason);
  std::abort();
}

bool Session::arrive(uint64_t logged_routine) {
  if (pthread_equal(thread_, pthread_self()) == 0) {
    if (!recording()) depart(by_another_thread(logged_routine));
    other_threads_call_ = 1 + logged_routine;
    return false;
  }
  if (!recording()) {
    pending_s_ += clock_.enter_mpi() * 1e-9;
  } else {
    arrived_ = ticks();
    in_mpi_ = 0;
  }
  return true;
}

void Session::leave() {
  if (recording()) {
    recorder_ += ticks() - arrived_ - in_mpi_;
    if (!log_.ok() || is_at_end()) finish_recording("");
    return;
  }
  if (!log_.ok()) depart("the log ends inside call " + std::to_string(calls_));
  if (is_measured()) end_unless_awaited();
  if (host_->pass_events(events_)) end_early();
  clock_.leave_mpi();
}

void Session::end_unless_awaited() {
  if (measured_ == 0) {
    measured_ = ticks();
    exchange_.be_done();
  }
  if (is_at_end() || exchange_.are_all_done()) end_early();
}

// The rest of the program has no log, or is not asked for. MPI is ended as it should be, since launchers complain
// otherwise.
void Session::end_early() {
  active_.store(false, std::memory_order_release);
  finish_replay();
  mpi_.finalize();
  host_->exit_early();
}

bool Session::enter(message_log::Call call) {
  if (const uint64_t other = other_threads_call_; other != 0) {
    finish_recording(by_another_thread(other - 1));
    return false;
  }
  ++calls_;
  const message_log::Call called = call;
  log_.pass(call);
  if (recording()) return true;
  if (!log_.ok()) depart("the log ends before call " + std::to_string(calls_) + ", " + text_of(called));
  if (!(call == called)) {
    depart("call " + std::to_string(calls_) + " differs: the log has " + text_of(call) + "; the program called " +
           text_of(called));
  }
  return true;
}

// A routine whose outcome no rule describes. Its first call ends the log.
std::string Session::refusal_of(const Routine& row, const uintptr_t* values) {
  switch (row.group) {
    case Group::kRequest:
      if (&row == &kRoutineTable[kCancel] && recording() && shares_messages() &&
          !requests_.receives(read_handle(values[row.roles.requests_at]))) {
        return "MPI_Cancel of a message that is sent was called (without --together it can be recorded)";
      }
      return "";
    case Group::kOneSided:
      if (&row == &kRoutineTable[kWin_allocate_shared]) {
        return std::string(row.name) + " (memory that other ranks write without calls of MPI) was called";
      }
      if (&row == &kRoutineTable[kWin_create_dynamic]) {
        return std::string(row.name) + " (a window whose memory is not known) was called";
      }
      return "";
    default: break;
  }
  const bool joins = row.rule == Rule::kSpawns || routine_joins(row);
  return joins ? std::string(row.name) + " (communication with other programs) was called" : "";
}

uintptr_t Session::call(uint32_t routine, Counts counts, const uintptr_t* values, const RealCall& real) {
  const Inside inside;
  const Routine& row = kRoutineTable[routine];
  if (row.group == Group::kLocal) return local_call(values, real);
  if (!arrive(routine)) return real(values);
  if (const std::string reason = refusal_of(row, values); !reason.empty()) return refuse(reason, values, real);
  uint64_t result = 0;
  bool is_made = false, fails_here = false;
  try {
    const Arguments wanted(values, Language::kC, counts, *mpi_.library);
    const Roles& at = row.roles;
    const LoggedComm* comm = at.comm_at >= 0 ? comm_of(wanted.comm(at.comm_at)) : nullptr;
    std::vector<Block> blocks = row.group == Group::kFile ? blocks_to_read(row, wanted, values, mpi_)
                                                          : received_blocks(row, wanted, values, comm, mpi_);
    add_empty_message(row, wanted, comm, blocks);
    message_ = at.message_at >= 0 && row.group == Group::kReceive ? read_handle(values[at.message_at]) : 0;
    called_with_.clear();
    if (at.requests_at >= 0) {
      const int n = at.count_at < 0 ? 1 : wanted.integer(at.count_at);
      for (int i = 0; i < n; ++i) called_with_.push_back(read_handle(values[at.requests_at], static_cast<size_t>(i)));
    }
    message_log::Call call = describe(routine, wanted, comm, blocks);
    if (row.group == Group::kFile) describe_file(row, wanted, values, call);
    if (!enter(call)) return real(values);

    uintptr_t passed_on[kMostArguments] = {};
    std::copy(values, values + row.arguments, passed_on);
    const bool frees_comm = row.rule == Rule::kFreesComm;
    if (frees_comm) comms_.erase(read_handle(values[at.handle_at]));
    if (!is_window_operation(row)) pass_windows();
    const bool makes_window = row.rule == Rule::kMakesWindow, frees_window = row.rule == Rule::kFreesWindow;
    LoggedWindow window = makes_window ? window_to_make(routine, values) : LoggedWindow();
    const uintptr_t freed_window = frees_window ? read_handle(values[at.handle_at]) : 0;
    if (frees_window) forget_window(freed_window, true);
    const bool duplicates = routine == kComm_dup || routine == kComm_dup_with_info;
    if (recording()) {
      // Who sent how much is in the status, which the application need not want.
      if (at.status_at >= 0 && wanted.ignores_status(at.status_at)) {
        const size_t n = std::max<size_t>(1, called_with_.size());
        statuses_.assign(n * static_cast<size_t>(mpi_.constants().status_ints), 0);
        passed_on[at.status_at] = reinterpret_cast<uintptr_t>(statuses_.data());
      }
      result = result_of(real, passed_on);
      is_made = true;
    } else if (frees_comm || duplicates || makes_window || frees_window || routine == kFile_set_view) {
      // On the real handle, with the attributes that the application gave it.
      fails_here = static_cast<uint32_t>(real(passed_on)) != 0;
    }
    log_.pass_number(result);
    if (fails_here && result == 0) {
      depart("call " + std::to_string(calls_) + ", " + std::string(row.name) +
             ", fails where the rank is alone, and did not when it was recorded");
    }
    if (result == 0 && log_.ok()) {
      const Arguments passed(passed_on, Language::kC, counts, *mpi_.library);
      if (makes_window) add_window(routine, values, std::move(window));
      if (row.rule == Rule::kSend) send(message_of(row, wanted, values, comm));
      if (routine == kFile_open || routine == kFile_close) change_files(routine, values, real);
      outcome(routine, passed, passed_on, wanted, comm, std::move(blocks));
      if (!is_window_operation(row)) pass_windows();
      if (frees_window) forget_window(freed_window, false);
    }
    leave();
    return result;
  } catch (const std::bad_alloc&) {
    if (!recording()) depart("memory ran out");
    finish_recording("memory ran out");
    return is_made ? result : real(values);
  }
}

uint64_t Session::result_of(const RealCall& real, const uintptr_t* values) {
  const uint64_t before = ticks();
  const uint64_t result = static_cast<uint32_t>(real(values));
  in_mpi_ = ticks() - before;
  return result;
}

// Its time is MPI's, all the same.
uintptr_t Session::local_call(const uintptr_t* values, const RealCall& real) {
  const bool is_timed = !recording() && pthread_equal(thread_, pthread_self()) != 0;
  if (is_timed) pending_s_ += clock_.enter_mpi() * 1e-9;
  const uintptr_t result = real(values);
  if (is_timed) clock_.leave_mpi();
  return result;
}

uintptr_t Session::refuse(const std::string& reason, const uintptr_t* values, const RealCall& real) {
  if (!recording()) depart(reason + ", which the log does not have");
  finish_recording(reason);
  return real(values);
}

uintptr_t Session::answered_call(uint32_t answered, const uintptr_t* values, const RealCall& real) {
  const Inside inside;
  const AnsweredRoutine& row = kAnsweredTable[answered];
  if (!arrive(kLoggedAnswered + answered)) return real(values);
  if (row.refused) return refuse(std::string(row.name) + " was called", values, real);
  const Arguments a(values, Language::kC, Counts::kInt, *mpi_.library);
  message_log::Call call;
  call.routine = kLoggedAnswered + answered;
  int n = 0;
  for (int i = 0; i < row.n; ++i) {
    const Answer word = row.arguments[static_cast<size_t>(i)];
    if (word == Answer::kComm) {
      const LoggedComm* comm = comm_of(a.comm(i));
      call.communicator = comm != nullptr ? comm->number : -1;
    } else if (word == Answer::kNumber) {
      n = a.integer(i);
      call.room = n;
    }
  }
  if (!enter(call)) return real(values);
  uint64_t result = recording() ? result_of(real, values) : 0;
  log_.pass_number(result);
  for (int i = 0; i < row.n && result == 0 && log_.ok(); ++i) {
    switch (row.arguments[static_cast<size_t>(i)]) {
      case Answer::kInt: log_.pass_bytes(reinterpret_cast<void*>(values[i]), sizeof(int)); break;
      case Answer::kInts:
        if (n > 0) log_.pass_bytes(reinterpret_cast<void*>(values[i]), static_cast<size_t>(n) * sizeof(int));
        break;
      case Answer::kName: {
        auto* name = reinterpret_cast<char*>(values[i]);
        uint64_t bytes = recording() ? std::strlen(name) + 1 : 0;
        log_.pass_number(bytes);
        log_.pass_bytes(name, bytes);
        break;
      }
      case Answer::kGroup: make_group(values[i]); break;
      default: break;
    }
  }
  leave();
  return result;
}

double Session::wtime(double (*real)()) {
  // Threads beside the one that communicates may look at the clock.
  if (pthread_equal(thread_, pthread_self()) == 0) return real();
  const Inside inside;
  message_log::Call call;
  call.routine = kLoggedWtime;
  if (!arrive(kLoggedWtime) || !enter(call)) return real();
  double now = recording() ? real() : 0;
  log_.pass(now);
  leave();
  return now;
}

int64_t Session::ask_system(SystemFunction function, int64_t asked, void* at, size_t bytes,
                            const std::function<int64_t()>& real) {
  if (!logs_system_ || pthread_equal(thread_, pthread_self()) == 0) return real();
  if (syscall(SYS_getpid) != process_) return real();  // what this process forked is no rank
  const Inside inside;
  int error = errno;
  message_log::Call call;
  call.routine = kLoggedSystem + function;
  call.tag = asked;
  call.room = static_cast<int64_t>(bytes);
  if (!arrive(call.routine) || !enter(call)) return real();
  int64_t result = recording() ? real() : 0;
  log_.pass(result);
  if (result < 0) {
    if (recording()) error = errno;
    log_.pass(error);
  } else if (at != nullptr) {
    log_.pass_bytes(at, function == kSystem_getrandom ? static_cast<size_t>(result) : bytes);
  }
  leave();
  errno = error;
  return result;
}

message_log::Call Session::describe(uint32_t routine, const Arguments& a, const LoggedComm* comm,
                                    const std::vector<Block>& blocks) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  message_log::Call call;
  call.routine = routine;
  if (comm != nullptr) call.communicator = comm->number;
  if (at.win_at >= 0) {
    const LoggedWindow* window = window_of(a.win(at.win_at));
    if (window != nullptr) call.communicator = window->number;
  }
  const auto integer = [&a](int position) { return position >= 0 ? a.integer(position) : 0; };
  call.peer = integer(at.root_at >= 0 ? at.root_at : at.peer_at);
  call.tag = integer(at.tag_at);
  call.source = integer(at.source_at);
  call.source_tag = integer(at.source_tag_at);
  // What is sent to nobody, or by a rank beside the root of an intercommunicator, means nothing.
  const bool sends = (at.root_at < 0 && at.peer_at < 0) || call.peer != mpi_.constants().proc_null;
  switch (row.rule) {
    case Rule::kSend:
    case Rule::kPersistentSend:
    case Rule::kBcast:
    case Rule::kReduce:
    case Rule::kContribution:
    case Rule::kPut:
      if (!sends) break;
      call.bytes = bytes_of(mpi_, a.count(at.count_at), a.type(at.type_at));
      break;
    default: break;
  }
  if (at.requests_at >= 0) call.bytes = static_cast<int64_t>(called_with_.size());
  for (const Block& block : blocks) call.room += bytes_of(mpi_, block.count, block.type);
  return call;
}

uintptr_t Session::read_handle(uintptr_t address, size_t i) const {
  if (mpi_.constants().handle_bytes == sizeof(int)) return reinterpret_cast<const uint32_t*>(address)[i];
  return reinterpret_cast<const uintptr_t*>(address)[i];
}

void Session::write_handle(uintptr_t address, uintptr_t handle, size_t i) const {
  if (mpi_.constants().handle_bytes == sizeof(int)) {
    reinterpret_cast<uint32_t*>(address)[i] = static_cast<uint32_t>(handle);
  } else {
    reinterpret_cast<uintptr_t*>(address)[i] = handle;
  }
}

}  // namespace scalediag::pmpi
