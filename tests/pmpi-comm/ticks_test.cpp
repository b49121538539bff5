#include "pmpi-comm/ticks.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

int calls_of_the_c_library = 0;

}  // namespace

// In place of the C library's.
extern "C" int clock_gettime(clockid_t clock, timespec* t) noexcept {
  ++calls_of_the_c_library;
  return static_cast<int>(syscall(SYS_clock_gettime, clock, t));
}

namespace scalediag::pmpi {
namespace {

TEST(CpuClock, IsReadByThisLibraryItself) {
  timespec before{}, after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  const int calls = calls_of_the_c_library;
  EXPECT_GT(calls, 0);
  const uint64_t ns = cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  EXPECT_EQ(calls_of_the_c_library, calls);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const auto of = [](const timespec& t) {
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
  };
  EXPECT_GE(ns, of(before));
  EXPECT_LE(ns, of(after));
}

TEST(CpuClock, OfNoThreadIsZero) {
  // The CPU clock of a thread with a number that no thread can have.
  EXPECT_EQ(cpu_clock_ns(static_cast<clockid_t>((~0x0FFFFFFFu << 3) | 6)), 0u);
}

}  // namespace
}  // namespace scalediag::pmpi
