#include "collector/inject/clock_points.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace scalediag::inject {
namespace {

void* end_at_once(void* tid) {
  static_cast<std::atomic<pid_t>*>(tid)->store(static_cast<pid_t>(syscall(SYS_gettid)));
  return nullptr;
}

TEST(CpuClock, IsTheThreadsOwn) {
  const auto clock = cpu_clock_of(pthread_self());
  ASSERT_TRUE(clock.has_value());
  const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t read = clock_ns(clock);
  EXPECT_LE(before, read);
  EXPECT_LE(read, clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

// The clock must not be that of the calling thread.
TEST(CpuClock, OfAThreadThatHasEndedIsNone) {
  std::atomic<pid_t> tid{0};
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, end_at_once, &tid), 0);
  while (tid == 0) usleep(1000);
  const std::string task = "/proc/self/task/" + std::to_string(tid.load());
  while (access(task.c_str(), F_OK) == 0) usleep(1000);
  EXPECT_FALSE(cpu_clock_of(thread).has_value());
  EXPECT_EQ(clock_ns(cpu_clock_of(thread)), 0u);
  pthread_join(thread, nullptr);
}

}  // namespace
}  // namespace scalediag::inject
