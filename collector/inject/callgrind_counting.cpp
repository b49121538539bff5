#include "collector/inject/callgrind_counting.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "collector/inject/counting/callgrind_instructions.h"
#include "collector/inject/settings.h"
#include "collector/inject/writing/process_identity.h"
#include "collector/inject/writing/trace_file.h"
#include "core/raw/counted_steps.h"
#include "pmpi-comm/call_table.h"
#include "pmpi-comm/callgrind_counting.h"
#include "pmpi-comm/thread_state.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace scalediag::inject::callgrind {
namespace {

enum class Stage { kOff, kLoaded, kInitialising, kCounting, kOver };
std::atomic<Stage> stage{Stage::kOff};
pid_t own_pid = 0;

// The lock for switching callgrind's instrumentation: a thread that MPI_Init made may run only after it.
class InstrumentationLock {
 public:
  InstrumentationLock() {
    while (flag_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~InstrumentationLock() { flag_.clear(std::memory_order_release); }
  InstrumentationLock(const InstrumentationLock&) = delete;
  InstrumentationLock& operator=(const InstrumentationLock&) = delete;

 private:
  static std::atomic_flag flag_;
};
std::atomic_flag InstrumentationLock::flag_ = ATOMIC_FLAG_INIT;

void start_instrumentation() {
#ifdef CALLGRIND_START_INSTRUMENTATION
  CALLGRIND_START_INSTRUMENTATION;
#endif
}

void stop_instrumentation() {
#ifdef CALLGRIND_STOP_INSTRUMENTATION
  CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

void zero_counts() {
#ifdef CALLGRIND_ZERO_STATS
  CALLGRIND_ZERO_STATS;
#endif
}

void write_counts() {
#ifdef CALLGRIND_DUMP_STATS_AT
  CALLGRIND_DUMP_STATS_AT(counted_steps::kDumpTrigger);
#endif
}

// The recording of events, of the thread that called MPI_Init.
struct CountedTrace {
  CountedTrace(const std::string& log, uint64_t most_calls)
      : instructions(log, most_calls), file(true, &instructions) {}

  CallgrindInstructions instructions;
  TraceFile file;
  pmpi::CallTable calls;
  pmpi::ThreadState thread;
};
CountedTrace* counted_trace = nullptr;  // never destroyed: MPI may be called by destructors that run after ours

// Without it the rest is counted all the same; `scalediag profile` notices that the file is missing.
void start_trace(int rank, int size, const char* version) {
  const char* folder = std::getenv("SCALEDIAG_COUNTED_FOLDER");
  const char* most = std::getenv("SCALEDIAG_COUNTED_CALLS");
  if (folder == nullptr || most == nullptr || pmpi::this_thread != nullptr) return;
  char log[64];
  std::snprintf(log, sizeof log, "/rank%06d.%d.valgrind.log", rank, static_cast<int>(own_pid));
  try {
    auto made = std::make_unique<CountedTrace>(std::string(folder) + log, std::strtoull(most, nullptr, 10));
    if (made->file.create({folder, false, ""}, static_cast<uint32_t>(rank)) != 0) return;
    // Times are not used, so that the length of a tick is of no importance.
    made->file.start(
        {static_cast<uint32_t>(rank), static_cast<uint32_t>(size), host_name(), executable_path(), version}, 1);
    made->thread.thread_class = raw::kMainThread;
    made->thread.calls = &made->calls;
    made->thread.trace = made->file.recorder();
    counted_trace = made.release();
    pmpi::this_thread = &counted_trace->thread;
  } catch (const std::bad_alloc&) {
  }
}

void finish_trace(trace::End how) {
  if (counted_trace != nullptr && pmpi::this_thread == &counted_trace->thread) counted_trace->file.finish(how);
}

void begin(int rank, int size, const char* version) {
  start_trace(rank, size, version);
  restore_environment();
  for (const char* name : {"SCALEDIAG_SIMULATE", "SCALEDIAG_COUNTED_FOLDER", "SCALEDIAG_COUNTED_CALLS"}) unsetenv(name);
  const InstrumentationLock lock;
  start_instrumentation();
  zero_counts();
  pmpi::callgrind_counts.store(true, std::memory_order_release);
  stage = Stage::kCounting;
}

void end(trace::End how) {
  Stage expected = Stage::kCounting;
  if (getpid() != own_pid || !stage.compare_exchange_strong(expected, Stage::kOver)) return;
  const InstrumentationLock lock;
  pmpi::callgrind_counts.store(false, std::memory_order_release);
  finish_trace(how);
  write_counts();
  stop_instrumentation();
}

__attribute__((constructor)) void on_load() {
  const char* wanted = std::getenv("SCALEDIAG_SIMULATE");
  if (wanted == nullptr || std::strcmp(wanted, "1") != 0) return;
  own_pid = getpid();
  stage = Stage::kLoaded;
  pmpi::Hooks h;
  h.init_begin = [](const void*) { stage = Stage::kInitialising; };
  h.init_end = begin;
  h.finalize_begin = [] { end(trace::End::kFinalize); };
  h.abort = [] { finish_trace(trace::End::kAbort); };
  pmpi::set_hooks(h);
}

__attribute__((destructor)) void on_exit() { end(trace::End::kExit); }

}  // namespace

bool active() { return stage.load(std::memory_order_relaxed) != Stage::kOff; }

bool makes_mpi_thread() { return stage == Stage::kInitialising || pmpi::uncounted_depth > 0; }

void leave_out_this_thread() {
  pmpi::uncounted_depth = 1;  // if it calls MPI, the switch stays as it is
  const InstrumentationLock lock;
  // callgrind applies the request to the thread that it last saw instrumented code of.
  const bool instrumented = stage == Stage::kCounting;
  if (!instrumented) start_instrumentation();
  pmpi::toggle_counting();
  if (!instrumented) stop_instrumentation();
}

}  // namespace scalediag::inject::callgrind
