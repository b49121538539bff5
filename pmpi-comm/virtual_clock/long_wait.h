// Long waits inside a call of MPI, where an emulation has more ranks than cores.
//
// MPI's library then asks for its messages again and again, and yields its core in between. Each time the core goes
// from rank to rank, and all of these may only wait for one on another core. A rank that has waited for long in one
// call sleeps for a moment instead of yielding once more, so that cores are left to ranks that compute. No emulated
// time depends on it: what happens inside MPI is not the application's computation.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::pmpi {

constexpr uint32_t kYieldsBeforeSleep = 20;
constexpr long kSleepOfWaiting_ns = 50'000;

// Called where the thread is about to yield its core. False: it is to yield.
inline bool sleeps_in_long_wait(ThreadState& state) {
  // The system may let a sleep take 50 us longer, so that it wakes up for several at once.
  constexpr uint64_t kLongest_ns = kSleepOfWaiting_ns + 50'000;
  if (!state.sleeps_in_long_waits || state.depth == 0 || state.yields++ < kYieldsBeforeSleep) return false;
  const int error = errno;
  const uint64_t begin_ns = monotonic_ns();
  const timespec pause = {0, kSleepOfWaiting_ns};
  // Not by the function, which is interposed as what the application does.
  syscall(SYS_nanosleep, &pause, nullptr);
  state.slept_in_waits_ns += std::min(monotonic_ns() - begin_ns, kLongest_ns);
  errno = error;
  return true;
}

}  // namespace scalediag::pmpi
