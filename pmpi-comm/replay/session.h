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
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/raw/message_log.h"
#include "pmpi-comm/arguments.h"
#include "pmpi-comm/replay/answered_routines.h"
#include "pmpi-comm/replay/blocks.h"
#include "pmpi-comm/replay/call_log.h"
#include "pmpi-comm/replay/files.h"
#include "pmpi-comm/replay/left_out_contents.h"
#include "pmpi-comm/replay/message_order.h"
#include "pmpi-comm/replay/node_exchange.h"
#include "pmpi-comm/replay/open_requests.h"
#include "pmpi-comm/replay/real_mpi.h"
#include "pmpi-comm/replay/windows.h"
#include "pmpi-comm/trace/trace_clock.h"

namespace scalediag::pmpi {

constexpr size_t kMostArguments = 13;

// One wrapper's way to MPI.
struct RealCall {
  uintptr_t (*invoke)(void* function, const uintptr_t* values) = nullptr;
  void* function = nullptr;
  uintptr_t operator()(const uintptr_t* values) const { return invoke(function, values); }
};

// In seconds.
struct ReplayTimes {
  double elapsed_s = 0;   // from the end of MPI_Init to the end of the log
  double ahead_s = 0;     // before it: what unpacking the log took
  double in_calls_s = 0;  // of elapsed_s: what unpacking it took
};

// What the library (collector/inject/replaying) does for a session.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  // Whether this process replays a log.
  virtual bool replays() const = 0;
  // After MPI_Init. Gives the sink of this rank's log, or nullptr where it is not recorded, and sets what the log is to
  // hold: `events`, `node` and `system` of its identity.
  virtual LogSink* begin_recording(int rank, int size, const char* mpi_version, message_log::Identity& identity) = 0;
  // The log is complete: `refused` is the reason why the rank cannot be replayed, empty if it can.
  virtual void end_recording(const message_log::End& end, const std::string& refused) = 0;
  // After MPI_Init: the log to be replayed; empty where this process replays none.
  virtual std::string_view log_to_replay() = 0;
  // Where the ranks of a node that are replayed at the same time meet.
  virtual std::string node_folder() = 0;
  // After a call of a replay: so many events are over. True: the replay ends here.
  virtual bool pass_events(uint64_t /*events*/) { return false; }
  // The replay is over; computation before each event of MPI and after the last one, in seconds.
  virtual void end_replay(const std::vector<double>& computation_s, const ReplayTimes& times) = 0;
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
  static bool replays() { return host_ != nullptr && host_->replays(); }
  // At the process's end: a log that MPI_Finalize did not end gets an end that says so.
  static void leave_process();

  // Around the real MPI_Init; `ns_per_tick` of the time-stamp counter.
  void begin(double ns_per_tick);
  // Before the real MPI_Finalize or MPI_Abort.
  void end(uint64_t logged_routine);

  // Whether calls of this thread are seen: false inside MPI, and outside of the time between begin() and end().
  static bool sees_calls() { return active_.load(std::memory_order_acquire) && !inside_; }
  uintptr_t call(uint32_t routine, Counts counts, const uintptr_t* values, const RealCall& real);
  uintptr_t answered_call(uint32_t answered, const uintptr_t* values, const RealCall& real);
  double wtime(double (*real)());
  // A function of the system that sets `bytes` at `at` and gives a result, negative and with errno where it fails.
  // `asked`: which of several things it is asked for. Where these are not in the log, the real one answers.
  int64_t ask_system(SystemFunction function, int64_t asked, void* at, size_t bytes,
                     const std::function<int64_t()>& real);

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
  bool is_at_end() const { return last_event_ != 0 && events_ >= last_event_ + more_events_; }
  // Of replays: whether what is to be known has been replayed.
  bool is_measured() const { return last_event_ != 0 && events_ >= last_event_; }
  void end_early();
  void finish_replay();
  // Ends the replay here if nobody waits for what this rank sends.
  void end_unless_awaited();
  ReplayTimes times() const;
  // The real call; its time is not the recorder's.
  uint64_t result_of(const RealCall& real, const uintptr_t* values);
  std::string refusal_of(const Routine& row, const uintptr_t* values);
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
  void note_complete(LoggedRequest::Kind kind);
  void begin_request(const Routine& row, const uintptr_t* values, LoggedRequest::Kind kind, std::vector<Block> blocks);
  void probe(const Routine& row, const uintptr_t* values, const LoggedComm* comm, bool wants_status);
  void make_comm(uint32_t routine, const uintptr_t* values, const LoggedComm* parent);
  void make_group(uintptr_t at);
  LoggedWindow* window_of(uintptr_t handle);
  LoggedWindow window_to_make(uint32_t routine, const uintptr_t* values) const;
  // `is_mpis`: only if its memory is MPI's.
  void forget_window(uintptr_t handle, bool is_mpis);
  void add_window(uint32_t routine, const uintptr_t* values, LoggedWindow window);
  void one_sided(uint32_t routine, const Arguments& a, const uintptr_t* values, LoggedWindow* window,
                 std::vector<Block> blocks);
  void pass_windows();
  void describe_file(const Routine& row, const Arguments& a, const uintptr_t* values, message_log::Call& call) const;
  void change_files(uint32_t routine, const uintptr_t* values, const RealCall& real);
  void use_file(uint32_t routine, const Arguments& a, const uintptr_t* values, bool wants_status,
                std::vector<Block> blocks);
  void cancel();
  void free_request(const uintptr_t* values, const Routine& row);
  void start_requests(const Routine& row);
  void fill(Block& block, const int* status);
  void pass_contents(const Block& block, int64_t elements);

  // Messages between ranks that are replayed at the same time.
  struct NodeRank {
    int rank = 0;  // in a communicator
    int in_world = 0;
  };
  bool shares_messages() const { return node_.size() > 0; }
  void share_messages(uint32_t node, int rank, int size);
  void name_comm(LoggedComm& comm, const std::vector<int>& members);
  uint64_t new_comm_id(uint64_t members);
  void pass_members(LoggedComm& comm, uintptr_t handle);
  int node_rank(uint64_t comm, int rank) const;
  MessageTo message_of(const Routine& row, const Arguments& a, const uintptr_t* values, const LoggedComm* comm) const;
  void send(const MessageTo& message);
  void add_empty_message(const Routine& row, const Arguments& a, const LoggedComm* comm,
                         std::vector<Block>& blocks) const;
  ReceiveFrom receive_of(const Routine& row, const Arguments& a, const LoggedComm* comm) const;
  uint64_t begin_receive(const ReceiveFrom& from);
  void note_probed(uintptr_t message, const LoggedComm* comm, const int* status);
  uint64_t probed(uintptr_t message);
  bool pass_sender(Block& block, uint64_t elements, const int* status, bool is_whole);
  void take_message(const Block& block, uint64_t elements, int from, const NodeExchange::Channel& channel,
                    uint64_t before);

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
  long process_ = 0;
  std::atomic<uint64_t> other_threads_call_{0};  // 1 + the routine that another thread called; 0: none did
  CallLog log_;
  uint64_t calls_ = 0;
  bool logs_system_ = false;
  uint64_t events_ = 0, last_event_ = 0;  // passed, and the last one that is to be known (0: that of the run)
  uint64_t more_events_ = 0;              // that the log has after it
  LeftOutContents left_out_;
  int64_t n_comms_ = 0;
  std::unordered_map<uintptr_t, LoggedComm> comms_;
  OpenRequests requests_;
  int64_t n_windows_ = 0;
  std::vector<LoggedWindow> windows_;  // by number
  int64_t n_files_ = 0;
  std::unordered_map<uintptr_t, LoggedFile> files_;
  std::vector<uintptr_t> called_with_;  // the requests of the present call
  std::vector<int> statuses_;           // ours, where the application wants none
  std::vector<uintptr_t> free_requests_;

  message_log::NodeRange node_;                                     // empty: everything is in the log
  std::unordered_map<uint64_t, std::vector<NodeRank>> node_ranks_;  // by a communicator's id
  std::unordered_map<uint64_t, uint64_t> comms_of_members_;         // how many were made of the same ones
  MessageOrder order_;                                              // while recording
  std::unordered_map<uintptr_t, uint64_t> probed_;                  // while recording: receives, by message
  uintptr_t message_ = 0;                                           // of the present call
  NodeExchange exchange_;                                           // of replays

  double ns_per_tick_ = 0;
  uint64_t arrived_ = 0, in_mpi_ = 0, recorder_ = 0;  // ticks: of the present call, of it in MPI, of all without that
  // Of replays.
  uint64_t begun_ = 0, measured_ = 0, ahead_ = 0;  // ticks; measured_: when the last event was over, 0: it is not
  TraceClock clock_;
  double pending_s_ = 0;  // computation since the last event
  std::vector<double> computation_s_;
  int collectives_done_ = 0;
  bool messages_done_ = false;
};

// "MPI_Send of 800 bytes to 3 with tag 7 on communicator 0"
std::string text_of(const message_log::Call& call);

}  // namespace scalediag::pmpi
