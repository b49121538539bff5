// The state of a thread of the application that the MPI wrappers and the engine (collector/inject) share.
//
// The wrappers run on the application's threads; the engine's own thread reads their counters while they count. So
// every counter has one writer, the thread that it belongs to, and is a relaxed atomic: on the supported machines that
// costs no more than a plain variable.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/raw/raw_format.h"

namespace scalediag::pmpi {

// A counter that one thread writes and others may read.
class Counter {
 public:
  void add(uint64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

struct MpiLibrary;
class RepeatedCalls;
class TraceRecorder;
class CallTable;  // counters per operation, communicator size and message-size bin; and per peer

struct ThreadState {
  // Number of wrappers the thread is in. Calls are counted at depth 0 only: Fortran bindings call C
  // routines, and libraries call MPI from inside MPI.
  int depth = 0;
  // The operation that samples are charged to; raw::kOutsideMpi outside MPI. Set by the wrapper at
  // depth 0, read by the engine's thread and by the timer's signal handler.
  std::atomic<uint32_t> operation{raw::kOutsideMpi};
  uint32_t thread_class = raw::kOtherThread;

  // Samples taken since the last look: the sampler's ring has data when *ring_head != ring_seen. A wrapper calls
  // hooks().drain where may_have_been_sampled() says so, when it enters and leaves at depth 0, so that the data in the
  // ring always belong to `operation`. Without a ring both are always 0. Where CPUs are sampled, the ring is that of
  // the CPU that the thread was last seen on, and running on another one counts as data too.
  const volatile uint64_t* ring_head = &kNoRing;
  std::atomic<uint64_t> ring_seen{0};
  static const volatile uint64_t kNoRing;
  const volatile uint32_t* cpu = &kNoCpu;
  uint32_t cpu_seen = 0;
  static const volatile uint32_t kNoCpu;

  bool may_have_been_sampled() const {
    return *ring_head != ring_seen.load(std::memory_order_relaxed) || *cpu != cpu_seen;
  }

  CallTable* calls = nullptr;
  TraceRecorder* trace = nullptr;     // where every event is recorded; calls of threads other than the main one are
                                      // refused
  RepeatedCalls* repeated = nullptr;  // of the main thread: which call sites repeat
  bool counts_calls = true;           // false where nobody reads the counts: in an emulation
  uint64_t mpi_ticks = 0;             // inside MPI until the last call ended. Owner only

  // In an emulation with more ranks than cores (virtual_clock/long_wait.h). Owner only.
  bool sleeps_in_long_waits = false;
  uint32_t yields = 0;  // of its core in the present call
  uint64_t slept_in_waits_ns = 0;
};

// The engine's functions for the beginning and end of MPI. All are called on the application's thread.
struct Hooks {
  // Before the real MPI_Init or MPI_Init_thread. `frame` is a place on the caller's stack.
  void (*init_begin)(const void* frame) = nullptr;
  // Called after it succeeded. `version` is the text of MPI_Get_library_version.
  void (*init_end)(int rank, int size, const char* version) = nullptr;
  // Called in place of init_end where the handles and constants of the MPI library are not known.
  void (*mpi_is_unknown)(const MpiLibrary& library) = nullptr;
  void (*finalize_begin)() = nullptr;
  void (*finalize_end)() = nullptr;
  // Called before the call with which a round of the main loop begins, from 1 on, where rounds are counted.
  void (*round_begins)(uint64_t round) = nullptr;
  void (*abort)() = nullptr;  // before MPI_Abort is passed on: the data have to be on disk when it returns
  // The state of the calling thread, made at its first MPI call after MPI_Init; nullptr when it cannot be recorded.
  ThreadState* (*attach_thread)() = nullptr;
  // Charges the samples of the calling thread until now to state.operation.
  void (*drain)(ThreadState& state) = nullptr;
};

// Set once, by the engine, before the application's main.
void set_hooks(const Hooks& hooks);
const Hooks& hooks();

// True from the end of MPI_Init to the start of MPI_Finalize, while recording works. While it is false the
// wrappers pass calls on and do nothing else.
extern std::atomic<bool> recording;

// The calling thread's state; nullptr until it was attached. `__thread`, not `thread_local`: it promises that
// there is no initialiser to run, which saves a check at every access from another file.
extern __thread ThreadState* this_thread __attribute__((tls_model("initial-exec")));

}  // namespace scalediag::pmpi
