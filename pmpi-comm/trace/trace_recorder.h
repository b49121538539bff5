// Records the MPI calls of one thread of a rank and its computation before each, in the format of
// core/raw/trace_format.h.
//
// trace_recorder_calls.cpp gives the events of each routine's call; here events are put in order, folded and written.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/raw/event_stream.h"
#include "core/raw/trace_format.h"
#include "pmpi-comm/arguments.h"
#include "pmpi-comm/handles.h"
#include "pmpi-comm/trace/definition_numbers.h"
#include "pmpi-comm/trace/instruction_counter.h"
#include "pmpi-comm/trace/trace_clock.h"
#include "pmpi-comm/trace/trace_requests.h"
#include "pmpi-comm/trace/trace_sequence.h"
#include "pmpi-comm/trace/trace_windows.h"

namespace scalediag::pmpi {

// The nearest whole number; 0 for negative ones.
inline uint64_t rounded(double value) { return value > 0 ? static_cast<uint64_t>(std::llround(value)) : 0; }

// Takes chunks. False: nothing more can be written.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual bool write(trace::ChunkKind kind, const std::string& payload) = 0;
  // Takes an event of a recorder that tells events one by one, with the computation before it.
  virtual bool event(uint32_t /*definition*/, uint64_t /*before_ns*/) { return false; }
  // Of such a recorder, too: whether it is to ask which message a receive from any rank matches, and for the time;
  // asks; and takes what a rank does that tells nothing, and that a result depended on this machine's order of
  // messages.
  virtual bool orders_messages() const { return false; }
  virtual bool gives_time() const { return false; }
  // Whether it takes regions' names and marks (stream::kRegionName, stream::kMark).
  virtual bool marks_regions() const { return false; }
  virtual bool ask(const std::string& /*question*/, stream::Answer& /*answer*/) { return false; }
  virtual void note_idle(stream::Idle /*idle*/) {}
  // A test or probe has found nothing. `untold_ns`: computation since the last event.
  virtual void note_poll(uint32_t /*routine*/, double /*untold_ns*/) {}
  // At the end: ns in which the rank was neither on a core nor waited for one, without those in which it waited for
  // answers or slept as it told.
  virtual void note_blocked(uint64_t /*ns*/) {}
  virtual void note_real_order() {}
  // The emulated time was asked for, and cannot be given.
  virtual void note_unknown_time() {}
  // Takes a sleep of the thread, `waits`: between tests of requests or messages that find nothing. Returns the ns of
  // computation that stand for it.
  virtual double note_sleep(uint64_t /*ns*/, bool /*waits*/) { return 0; }
};

struct TraceIdentity {
  uint32_t rank = 0, size = 0;
  std::string host, executable, mpi_version;
};

// A call of NCCL or RCCL.
struct DeviceCommunication {
  enum class What { kCollective, kSend, kReceive };
  uint32_t routine = 0;  // as of device_begins()
  const char* name = "";
  uintptr_t communicator = 0;  // its handle, with the number of its ranks and this one's number in it
  int size = 0, rank = -1;
  What what = What::kCollective;
  mpi::Collective collective = {};
  int peer = -1;  // a root, or the other rank of a message: of the communicator
  uint64_t bytes = 0;
};

class TraceRecorder {
 public:
  // All outlive it. `series`: every computation is written, not only the means of those before an event. `counter`:
  // null where instructions are not counted. May throw std::bad_alloc; nothing else here throws.
  TraceRecorder(const MpiLibrary& mpi, TraceSink& sink, bool series = false, InstructionCounter* counter = nullptr)
      : mpi_(mpi), sink_(sink), kept_(&sink), series_(series), counter_(counter) {}

  // Has every event told to the sink as soon as it is known, its definition as a chunk of the kind stream::kDefinition.
  // Called before start(). `kept`, which outlives the recorder, takes the trace as well, without marks, its
  // computations `factor` times as long; null: nothing is kept.
  void tell_events_at_once(TraceSink* kept = nullptr, double factor = 1) {
    at_once_ = true;
    kept_ = kept;
    kept_factor_ = factor;
  }
  // Called by the thread that is traced, as are enter(), leave() and finish(). `ns_per_tick` is that of the time-stamp
  // counter.
  void start(const TraceIdentity& identity, double ns_per_tick);
  // Called around an outermost call. enter() may put a status of our own where the application wants none: the call is
  // then made with `values`.
  void enter(uint32_t routine, const Arguments& arguments, uintptr_t* values, Handles& handles, HandleCache& cache);
  void leave(uint32_t routine, const Arguments& arguments, bool succeeded, Handles& handles, HandleCache& cache);
  // The emulated time in seconds; nothing where events are not told at once. Called outside of MPI calls.
  std::optional<double> virtual_time_s();
  // Called by the traced thread outside MPI, after it has slept. Where events are told at once that is computation.
  void slept(uint64_t ns);
  // Called by the traced thread outside MPI, around a call in which it waits for a GPU. `routine` is the function's row
  // in gpu_functions.def, `name` its name, which outlives this; `elapsed_ticks` is how long the call took. In
  // emulations nothing is recorded: CPU time counts there.
  void device_begins(uint32_t routine, const char* name);
  // `communication_ns` of the devices were waited for, which become events of their own.
  void device_waited(uint32_t routine, const char* name, uint64_t elapsed_ticks, uint64_t communication_ns);
  // Communication of devices begins: its event stands where the thread has next waited for its device. Messages of a
  // group are one event.
  void device_communication(const DeviceCommunication& call);
  void device_group(bool begins);
  void forget_device_communicator(uintptr_t handle) { device_communicators_.erase(handle); }
  // Called when any thread but the traced one has called a routine.
  void note_other_thread(uint32_t routine) { other_threads_call_.store(routine, std::memory_order_relaxed); }
  // Called by the traced thread outside MPI: a mark in the present computation. It is forgotten where nobody takes it:
  // without `series` or, where events are told at once, a sink that takes marks.
  void mark(trace::Mark kind, std::string_view name, double value);
  // Writes the rest. `elapsed_ns` is wall time since start().
  void finish(trace::End end, uint64_t elapsed_ns);

  // ns in which the thread waited for answers, and slept, where events are told at once; and was off its core between
  // calls of MPI.
  double asked_ns() const { return asked_ns_; }
  double slept_ns() const { return slept_ns_; }
  double off_core_outside_ns() const { return clock_.off_core_outside_ns(); }
  uint64_t events() const { return n_events_; }
  // Whether memory ran out or the sink failed, so that nothing more will be written.
  bool broken() const { return broken_ || busy_; }

 private:
  // The largest number of events that are held. A receive from any rank that is not complete holds the events after it,
  // which are not folded; beyond this number it is recorded at the place of its completion instead.
  static constexpr size_t kMostHeld = 1 << 16;
  static constexpr size_t kMostDefinitions = 1 << 20;
  static constexpr size_t kMostDefinitionBytes = 64 << 20;
  static constexpr size_t kMostComputationBytes = 64 << 10;  // in memory
  static constexpr uint32_t kNoCommunicator = 0xFFFFFFFF;
  static constexpr uint32_t kOtherCommunicator = 0xFFFFFFFE;  // an intercommunicator, or one with ranks outside
                                                              // MPI_COMM_WORLD
  static constexpr double kSpin_ns = 50;  // polls that follow one another faster have no computation in between

  struct Status {
    int source = 0, tag = 0;
    bool cancelled = false;
  };
  // Since the last event. Where a part of it was not counted, instructions are nothing.
  struct Computation {
    struct Mark {
      trace::Mark kind = trace::Mark::kBegin;
      uint64_t name = 0;
      double value = 0;
      // Since the beginning of the computation:
      double ns = 0;
      std::optional<uint64_t> instructions = 0;
    };
    double ns = 0;
    std::optional<uint64_t> instructions = 0;
    std::vector<Mark> marks = {};

    void add(const Computation& more);
  };
  // An event that waits for an earlier one.
  struct Held {
    std::string definition;
    Computation before = {};
    uint32_t open_request = TraceRequests::kNone;  // the open request of this receive, which is not complete
    bool left_out = false;
    bool is_mark = false;  // the definition is a chunk of the kind stream::kMark, without the computation before it
  };
  struct MatchedMessage {
    uint32_t communicator = 0;
    int source = 0, tag = 0;
  };

  // trace_recorder_calls.cpp
  void before_call(uint32_t routine, const Arguments& a, uintptr_t* values);
  void after_call(uint32_t routine, const Arguments& a);
  // trace_recorder_told.cpp
  bool tell_before_call(uint32_t routine, const Arguments& a);
  bool is_known_before(uint32_t routine, const Arguments& a) const;
  void choose_message(uint32_t routine, const Arguments& a, uintptr_t* values);
  void note_order(uint32_t routine, const Arguments& a);
  bool ask(stream::Question question, uint32_t communicator, int rank, bool any_tag, int tag, stream::Answer& answer);
  // Only changes go to the sink, since the reader looks at the line of memory that they are written to.
  void note_idle(stream::Idle idle);
  void tell_region(std::string_view name);
  void tell_mark_in_order(uint64_t region, bool begins);
  void tell_mark(const std::string& mark, uint64_t before_ns);
  uint64_t number_of_mark(std::string_view name, bool& is_new);
  void tell(const std::string& definition, uint64_t before_ns);

  void call_event(uint32_t routine, const Arguments& a);
  void point_to_point(uint32_t routine, const Arguments& a, trace::EventKind kind);
  void make_persistent(uint32_t routine, const Arguments& a);
  void start_persistent(uintptr_t handle);
  void send_receive(uint32_t routine, const Arguments& a);
  void remember_matched(const Arguments& a, const Roles& at);
  void receive_matched(uint32_t routine, const Arguments& a);
  void message(trace::EventKind kind, uint32_t routine, uint32_t communicator, int rank, int tag, uint64_t bytes,
               uintptr_t handle);
  bool message_definition(trace::EventKind kind, uint32_t routine, uint32_t communicator, int rank, int tag,
                          uint64_t bytes);
  void communicator_made(uint32_t routine, const Arguments& a);
  void collective(uint32_t routine, const Arguments& a);
  void collective_definition(uint32_t routine, const Arguments& a, uint32_t communicator, const CommInfo& info);
  void exchange_definition(uint32_t routine, const Arguments& a, uint32_t communicator, const CommInfo& info);
  void neighborhood(uint32_t routine, const Arguments& a, uint32_t communicator, CommInfo& info);
  // trace_recorder_windows.cpp
  void one_sided(uint32_t routine, const Arguments& a);
  void window_made(const Arguments& a, const Roles& at);
  void access(uint32_t routine, const Arguments& a, TraceWindow& window);
  void remote(uint32_t routine, trace::Remote what, const TraceWindow& window, int rank, uint64_t bytes,
              uint32_t request);
  void synchronize(uint32_t routine, const Arguments& a, TraceWindow& window);
  void signal(uint32_t routine, const TraceWindow& window, const std::vector<uint32_t>& to, int tag);
  void await_signals(uint32_t routine, const TraceWindow& window, const std::vector<uint32_t>& from, int tag);
  void await_accesses(uint32_t routine, TraceWindow& window, std::optional<int> rank, const PartOfCall* also = nullptr);
  void barrier(uint32_t routine, uint32_t communicator);
  // The event of waiting for requests that have ended, or are no request of MPI's.
  void emit_wait(uint32_t routine, std::vector<uint32_t> numbers);
  void end_parts(const std::vector<PartOfCall>& parts, std::vector<uint32_t>& numbers);
  void await_parts(uint32_t routine, const std::vector<PartOfCall>& parts);
  void complete(uint32_t routine, const Arguments& a);
  void complete_these(uint32_t routine, const std::vector<size_t>& which, const Arguments& a);
  void settle_receive(uint32_t number, const Status& status);
  void free_request();
  void cancel_request();
  void read_requests(const Arguments& a, const Roles& at);
  bool from_any(const Arguments& a, const Roles& at) const;
  void want_status(const Arguments& a, uintptr_t* values, int at, size_t n);
  Status status(const Arguments& a, int at, size_t i) const;
  uint64_t bytes_of(int64_t count, uintptr_t type);
  uint64_t bytes_at(const Arguments& a, int count_at, int type_at);

  // The number of the communicator, which is registered by this call; kNoCommunicator where MPI does not know it.
  uint32_t communicator(uintptr_t handle);
  // A new one with these members; none: all ranks in order.
  uint32_t register_communicator(std::vector<uint32_t> members);
  uint32_t world_rank(uint32_t communicator, int rank) const;

  void begin_definition(trace::EventKind kind, uint32_t routine);
  void not_replayed(uint32_t routine, trace::Reason reason);
  void emit_not_replayed(uint32_t routine, trace::Reason reason);
  // Puts definition_ at the end, with the computation since the last event before it.
  void emit(uint32_t open_request = TraceRequests::kNone);
  void release_held();
  uint32_t gpu_routine(uint32_t routine, const char* name);
  std::string_view name_of_routine(uint64_t routine) const;
  uint32_t device_communicator(const DeviceCommunication& call);
  void device_exchange();
  void emit_device_communication();
  void append(const std::string& definition, const Computation& before);
  void keep(const std::string& definition, const Computation& before);
  double kept_ns(double ns);
  // To the sink, and to that which keeps the trace where it is another one.
  void write_to_all(trace::ChunkKind kind, const std::string& payload);
  // To the sink that keeps the trace. Where that fails and another one is told, the latter goes on alone.
  void write_kept(trace::ChunkKind kind, const std::string& payload);
  std::string end_payload(trace::End end, double tail_ns, uint64_t elapsed_ns) const;
  void write_list(trace::ChunkKind kind, uint64_t& n, std::string& items);
  void write_communicators();
  void write_events(const std::vector<TraceItem>& items);
  void write_computations();
  void append_series(const Computation& computation);
  void put_marks(const Computation& computation, uint64_t number);
  void spill();
  Computation take_computation();
  template <class Work> void guarded(Work work) {
    // busy_ is set where a signal handler that ends the process has interrupted a call of this recorder.
    if (broken_ || busy_) return;
    busy_ = true;
    try {
      work();
    } catch (const std::bad_alloc&) {
      broken_ = true;
    }
    busy_ = false;
  }

  const MpiLibrary& mpi_;
  TraceSink& sink_;
  TraceSink* kept_;  // the file of the events: sink_, or another sink where sink_ is told them; null: no file
  double kept_factor_ = 1;
  uint64_t untold_ns_ = 0;  // computation that was told with a question or a mark, before an event that is kept
  const bool series_;
  InstructionCounter* const counter_;
  bool at_once_ = false;
  TraceClock clock_;
  TraceSequence sequence_;
  TraceRequests requests_;
  Handles* handles_ = nullptr;  // of the present call
  HandleCache* cache_ = nullptr;
  std::unordered_map<uintptr_t, MatchedMessage> messages_;
  std::unordered_map<uintptr_t, TraceWindow> windows_;  // by handle

  // The state of the present call.
  std::vector<uintptr_t> called_with_;  // handles of requests, before MPI sets them to null
  uintptr_t message_in_ = 0;
  uintptr_t window_in_ = 0;
  std::vector<uint64_t> statuses_;
  bool has_own_status_ = false;
  std::string definition_;
  stream::Idle idle_ = stream::Idle::kComputes;  // as it was told
  bool told_before_ = false;                     // its event was told when it began
  bool chosen_ = false;                          // its message was chosen by the emulated order
  int chosen_rank_ = 0, chosen_tag_ = 0;

  Computation computed_ = {};
  bool polled_in_vain_ = false;
  double asked_ns_ = 0, slept_ns_ = 0;
  size_t n_needing_status_ = 0;
  bool has_detached_ = false;  // an operation that no wait completes has begun: "all that are outstanding" is no longer
                               // exact
  std::atomic<uint32_t> other_threads_call_{kRoutines};  // kRoutines: none
  std::map<uint32_t, const char*> gpu_routines_;         // by their numbers, those that have been called
  uint32_t rank_ = 0, size_ = 0;                         // in MPI_COMM_WORLD
  std::map<uintptr_t, uint32_t> device_communicators_;   // by handle: their numbers
  std::vector<std::string> device_events_;               // whose end has not been waited for
  struct {
    int depth = 0;
    uint32_t routine = 0, communicator = 0;
    std::vector<std::pair<uint32_t, uint64_t>> sent, received;  // peer, bytes
  } device_group_;                                              // that is open
  bool broken_ = false;
  bool busy_ = false;
  uint64_t n_events_ = 0;

  std::deque<Held> held_;
  uint64_t first_held_ = 0;  // number of held_.front()

  DefinitionNumbers told_numbers_;                     // of definitions, where events are told at once
  std::unordered_map<std::string, uint32_t> numbers_;  // where they are kept
  std::vector<const std::string*> definitions_;
  size_t definition_bytes_ = 0;
  std::vector<std::vector<uint32_t>> members_;  // of communicators, by number
  std::map<std::vector<uint32_t>, uint32_t> ordinals_;
  std::string new_communicators_;
  uint64_t n_new_communicators_ = 0;
  std::string computations_;  // before events, with `series_`
  uint64_t n_computations_ = 0;
  std::string instructions_;  // the same, where they are counted
  uint64_t n_instructions_ = 0;
  std::string marks_;
  uint64_t n_marks_ = 0;
  uint64_t last_marked_ = 0;    // the computation of the mark before
  uint64_t n_named_marks_ = 0;  // names that the file has
  std::map<std::string, uint64_t, std::less<>> mark_names_;
};

}  // namespace scalediag::pmpi
