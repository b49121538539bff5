// The fastest clock: the processor's time-stamp counter. It runs at a constant rate on every machine of the last
// decade; clock points in the raw file relate it to nanoseconds.
#pragma once

#include <sys/syscall.h>

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace scalediag::pmpi {

// The clock that everything on a host shares.
inline uint64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(t.tv_nsec);
}

// A CPU clock, of a thread or of the process; 0 where it cannot be read, as that of a thread that is gone. Reading one
// is a system call, which is made here: in the C library or in the kernel's page (vDSO) samples of it would look as if
// the application had made it, while code of this library is known to be the collector's.
inline uint64_t cpu_clock_ns(clockid_t clock) {
  timespec t{};
#if defined(__x86_64__)
  long result = SYS_clock_gettime;
  asm volatile("syscall" : "+a"(result) : "D"(long{clock}), "S"(&t) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number asm("x8") = SYS_clock_gettime;
  register long result asm("x0") = clock;
  register timespec* read asm("x1") = &t;
  asm volatile("svc 0" : "+r"(result) : "r"(number), "r"(read) : "memory");
#else
  const long result = clock_gettime(clock, &t);
#endif
  if (result != 0) return 0;
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(t.tv_nsec);
}

inline uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return monotonic_ns();
#endif
}

}  // namespace scalediag::pmpi
