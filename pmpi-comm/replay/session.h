// The calls of one rank, recorded into its message log or answered from it. There is one such session in a process,
// from the end of MPI_Init to MPI_Finalize, and one thread whose calls it sees.
//
// Recording passes every call on and logs what it gave back. Replaying passes on what needs no other rank and answers
// the rest; communicators, groups and requests of P ranks are handles of the real MPI, which was started with this
// process alone, so that its own functions (and its Fortran layer) accept them wherever they are not ours.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/raw/message_log.h"
#include "pmpi-comm/arguments.h"
#include "pmpi-comm/replay/answered_routines.h"
#include "pmpi-comm/replay/blocks.h"
#include "pmpi-comm/replay/call_log.h"
#include "pmpi-comm/replay/open_requests.h"
#include "pmpi-comm/replay/real_mpi.h"
#include "pmpi-comm/trace/trace_clock.h"

namespace scalediag::pmpi {

constexpr size_t kMostArguments = 13;

// One wrapper's way to MPI.
struct RealCall {
  uintptr_t (*invoke)(void* function, const uintptr_t* values) = nullptr;
  void* function = nullptr;
  uintptr_t operator()(const uintptr_t* values) const { return invoke(function, values); }
};

// What the library (collector/inject/replaying) does for a session.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  // After MPI_Init. Gives the sink of this rank's log, or nullptr where it is not recorded; `events`: after how many
  // events the log ends, 0 where it goes on to MPI_Finalize.
  virtual LogSink* begin_recording(int rank, int size, const char* mpi_version, uint64_t& events) = 0;
  // The log is complete: `refused` is the reason why the rank cannot be replayed, empty if it can.
  virtual void end_recording(uint64_t calls, uint64_t stream_bytes, const std::string& refused) = 0;
  // After MPI_Init: the log to be replayed; empty where this process replays none.
  virtual std::string_view log_to_replay() = 0;
  // The replay is over; computation before each event of MPI and after the last one, in seconds.
  virtual void end_replay(const std::vector<double>& computation_s) = 0;
  // Ends the process, which has called MPI_Finalize.
  virtual void exit_early() = 0;
  // Ends the process.
  virtual void depart(const std::string& reason) = 0;
};

class Session {
 public:
  // The only instance, never destroyed: MPI may be called from destructors that run after ours.
  static Session& get();

  // Before MPI_Init. Without it there is no session.
  static void use(SessionHost& host) { host_ = &host; }
  // Around the real MPI_Init; `ns_per_tick` of the time-stamp counter.
  void begin(double ns_per_tick);
  // Before the real MPI_Finalize or MPI_Abort.
  void end(uint64_t logged_routine);

  // Whether calls of this thread are seen: false inside MPI, and outside of the time between begin() and end().
  static bool sees_calls() { return active_.load(std::memory_order_acquire) && !inside_; }
  uintptr_t call(uint32_t routine, Counts counts, const uintptr_t* values, const RealCall& real);
  uintptr_t answered_call(uint32_t answered, const uintptr_t* values, const RealCall& real);
  double wtime(double (*real)());

  // Marks this thread as inside MPI, where calls are MPI's own.
  class Inside {
   public:
    Inside() : before_(inside_) { inside_ = true; }
    ~Inside() { inside_ = before_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    const bool before_;
  };

 private:
  Session() : mpi_(real_mpi()) {}

  bool recording() const { return log_.recording(); }
  // Around every call: its time. False: it is not the session's thread that calls, and the call is passed on; one of
  // the two threads then ends the log.
  bool arrive(uint64_t logged_routine);
  void leave();
  // Passes the call itself through the log: the replay's has to be the logged one. False: the log has ended.
  bool enter(message_log::Call call);
  uintptr_t local_call(const uintptr_t* values, const RealCall& real);
  uintptr_t refuse(const std::string& reason, const uintptr_t* values, const RealCall& real);
  void finish_recording(const std::string& refused);
  // Whether the log ends here, before the program does.
  bool is_at_end() const { return last_event_ != 0 && events_ >= last_event_; }
  void end_early();
  std::string refusal_of(const Routine& row) const;
  // Of a replay that cannot go on.
  [[noreturn]] void depart(const std::string& reason);

  // The communicator of a handle; nullptr for a null handle.
  LoggedComm* comm_of(uintptr_t handle);
  LoggedComm* learn_comm(uintptr_t handle, LoggedComm comm);
  LoggedComm ask_comm(uintptr_t handle) const;
  message_log::Call describe(uint32_t routine, const Arguments& a, const LoggedComm* comm,
                             const std::vector<Block>& blocks);

  // What the call gives back, logged or answered. `wanted` are the application's arguments, `a` those that MPI got.
  void outcome(uint32_t routine, const Arguments& a, const uintptr_t* values, const Arguments& wanted,
               const LoggedComm* comm, std::vector<Block> blocks);
  void complete_requests(const Routine& row, const Arguments& a, const uintptr_t* values, bool wants_status);
  void complete(size_t i, uintptr_t address, const int* status);
  void begin_request(const Routine& row, const uintptr_t* values, LoggedRequest::Kind kind, std::vector<Block> blocks);
  void probe(const Routine& row, const uintptr_t* values, bool wants_status);
  void make_comm(uint32_t routine, const uintptr_t* values, const LoggedComm* parent);
  void make_group(uintptr_t at);
  void free_request(const uintptr_t* values, const Routine& row);
  void start_requests(const Routine& row);
  void fill(const Block& block, const int* status);
  // Passes `n` statuses through the log.
  void pass_statuses(const int* at, size_t n);
  const int* status_at(const int* first, size_t i) const {
    return first + i * static_cast<size_t>(mpi_.constants().status_ints);
  }
  bool is_cancelled(const int* status) const;

  // Handles as they stand in memory.
  uintptr_t read_handle(uintptr_t address, size_t i = 0) const;
  void write_handle(uintptr_t address, uintptr_t handle, size_t i = 0) const;
  // Of replays: a request of the real MPI that nothing ever happens to.
  uintptr_t new_request();
  uintptr_t new_message();
  void drop_message(uintptr_t address);

  void note_events(int n);

  static SessionHost* host_;
  static std::atomic<bool> active_;
  static __thread bool inside_ __attribute__((tls_model("initial-exec")));

  const RealMpi& mpi_;
  pthread_t thread_{};
  std::atomic<uint64_t> other_threads_call_{0};  // 1 + the routine that another thread called; 0: none did
  CallLog log_;
  uint64_t calls_ = 0;
  uint64_t events_ = 0, last_event_ = 0;  // passed, and after which the log ends (0: it does not)
  int64_t n_comms_ = 0;
  std::unordered_map<uintptr_t, LoggedComm> comms_;
  OpenRequests requests_;
  std::vector<uintptr_t> called_with_;  // the requests of the present call
  std::vector<int> statuses_;           // ours, where the application wants none
  std::vector<uintptr_t> free_requests_;

  // Of replays.
  TraceClock clock_;
  double pending_s_ = 0;  // computation since the last event
  std::vector<double> computation_s_;
  int collectives_done_ = 0;
  bool messages_done_ = false;
};

// "MPI_Send of 800 bytes to 3 with tag 7 on communicator 0"
std::string text_of(const message_log::Call& call);

}  // namespace scalediag::pmpi
