// All clocks, read together at the moments that divide a rank's life.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <ctime>

#include "core/raw_format.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject {

inline uint64_t clock_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// The CPU clock of a thread that is alive. Unlike its pthread_t it may be read when the thread is gone: it says 0 then.
inline clockid_t cpu_clock_of(pthread_t thread) {
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 ? clock : CLOCK_THREAD_CPUTIME_ID;
}

struct ClockPoint {
  raw::Phase phase = raw::Phase::kLoad;
  uint64_t ticks = 0;
  uint64_t monotonic_ns = 0;
  uint64_t realtime_ns = 0;
  uint64_t process_cpu_ns = 0;
  uint64_t main_thread_cpu_ns = 0;
  uint64_t collector_cpu_ns = 0;
};

// `main_thread` is the CPU clock of the thread that calls MPI_Init.
inline ClockPoint read_clocks(raw::Phase phase, clockid_t main_thread) {
  ClockPoint p;
  p.phase = phase;
  p.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
  p.ticks = pmpi::ticks();
  p.realtime_ns = clock_ns(CLOCK_REALTIME);
  p.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  p.main_thread_cpu_ns = clock_ns(main_thread);
  return p;
}

}  // namespace scalediag::inject
