#include "collector/inject/callgrind_counting.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "collector/inject/settings.h"
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
  CALLGRIND_DUMP_STATS_AT(kDumpTrigger);
#endif
}

void begin(int, int, const char*) {
  restore_environment();
  unsetenv("SCALEDIAG_SIMULATE");
  const InstrumentationLock lock;
  start_instrumentation();
  zero_counts();
  pmpi::callgrind_counts.store(true, std::memory_order_release);
  stage = Stage::kCounting;
}

void end() {
  Stage expected = Stage::kCounting;
  if (getpid() != own_pid || !stage.compare_exchange_strong(expected, Stage::kOver)) return;
  const InstrumentationLock lock;
  pmpi::callgrind_counts.store(false, std::memory_order_release);
  write_counts();
  stop_instrumentation();
}

__attribute__((constructor)) void on_load() {
  const char* wanted = std::getenv("SCALEDIAG_SIMULATE");
  if (wanted == nullptr || std::strcmp(wanted, "1") != 0) return;
  own_pid = getpid();
  stage = Stage::kLoaded;
  pmpi::Hooks h;
  h.init_begin = [] { stage = Stage::kInitialising; };
  h.init_end = begin;
  h.finalize_begin = end;
  pmpi::set_hooks(h);
}

__attribute__((destructor)) void on_exit() { end(); }

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
