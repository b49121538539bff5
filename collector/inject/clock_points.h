// All clocks, read together when the library is loaded, around MPI_Init and MPI_Finalize, and at exit.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "core/raw/raw_records.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject {

inline uint64_t clock_ns(clockid_t clock) {
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) return pmpi::cpu_clock_ns(clock);
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// The CPU clock of a thread. Unlike its pthread_t it may be read when the thread is gone, and is 0 then. Empty where
// the system has none, as for a thread that has ended: another thread's clock would be wrong.
inline std::optional<clockid_t> cpu_clock_of(pthread_t thread) {
  clockid_t clock;
  if (pthread_getcpuclockid(thread, &clock) != 0) return std::nullopt;
  return clock;
}

// 0 without a clock, as for a thread that is gone.
inline uint64_t clock_ns(const std::optional<clockid_t>& clock) { return clock ? clock_ns(*clock) : 0; }

using raw::ClockPoint;
using raw::Waits;

// `main_thread` is the CPU clock of the thread that calls MPI_Init.
inline ClockPoint read_clocks(raw::Phase phase, const std::optional<clockid_t>& main_thread) {
  ClockPoint p;
  p.phase = phase;
  p.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
  p.ticks = pmpi::ticks();
  p.realtime_ns = clock_ns(CLOCK_REALTIME);
  p.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  p.main_thread_cpu_ns = clock_ns(main_thread);
  return p;
}

// `main_thread` is a thread's number in the system. Empty where the system does not tell.
inline std::optional<Waits> read_waits(pid_t main_thread) {
  char path[64], text[96];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", static_cast<int>(main_thread));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return std::nullopt;
  text[n] = 0;
  // Nanoseconds on a core, nanoseconds ready without one, number of turns.
  char *second = nullptr, *end = nullptr;
  std::strtoull(text, &second, 10);
  Waits waits;
  waits.for_core_ns = std::strtoull(second, &end, 10);
  rusage children{};
  if (end == second || getrusage(RUSAGE_CHILDREN, &children) != 0) return std::nullopt;
  for (const timeval& t : {children.ru_utime, children.ru_stime}) {
    waits.children_cpu_ns += static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_usec) * 1000u;
  }
  return waits;
}

}  // namespace scalediag::inject
