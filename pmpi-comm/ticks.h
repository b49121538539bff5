// The fastest clock: the processor's time-stamp counter. It runs at a constant rate on every machine of the last
// decade; clock points in the raw file relate it to nanoseconds.
#pragma once

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
