// Events of CPUs, where the machine allows them. The tests check identities of CPU time and which threads were sampled.
#include "collector/inject/sampling/cpu_sampler.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collector/inject/clock_points.h"
#include "collector/inject/cpus/current_cpu.h"
#include "collector/inject/thread_record.h"

namespace scalediag::inject {
namespace {

constexpr uint64_t kPeriod_ns = 3997001;

// Uses up CPU time of the calling thread, not elapsed time.
void burn(double seconds) {
  const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + static_cast<uint64_t>(seconds * 1e9);
  volatile double x = 1;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
    for (int i = 0; i < 2000; ++i) x = x * 1.0000001;
  }
}

pid_t this_tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// Rings stay for as long as threads may look at them: until the program ends.
CpuSampler& new_sampler() {
  static auto& samplers = *new std::vector<std::unique_ptr<CpuSampler>>;
  return *samplers.emplace_back(std::make_unique<CpuSampler>());
}

std::string run_of_this_test() {
  return std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + std::to_string(getppid());
}

#define START_OR_SKIP(sampler)                                            \
  if (const int failed = (sampler).start(run_of_this_test(), kPeriod_ns)) \
  GTEST_SKIP() << "events of CPUs are refused here: " << std::strerror(failed)

TEST(CpuSampler, SamplesAThreadInProportionToItsCpuTime) {
  CpuSampler& sampler = new_sampler();
  START_OR_SKIP(sampler);
  uint64_t sampled_ns = 0;
  const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  burn(0.8);
  const uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
  for (int i = 0; i < 20; ++i) usleep(10'000);  // asleep it is not sampled
  sampler.drain([&](const CpuSample& s) {
    if (s.tid == this_tid()) sampled_ns += s.period_ns;
  });
  // 200 samples are expected. On a core that others share, the number that meets the thread is subject to chance: its
  // standard deviation is at most the root of 200, 7 %, and five of those are allowed.
  EXPECT_NEAR(static_cast<double>(sampled_ns), static_cast<double>(used_ns), 0.35 * static_cast<double>(used_ns));
}

TEST(CpuSampler, ThreadsThatNobodyAnnouncedAreSampled) {
  CpuSampler& sampler = new_sampler();
  START_OR_SKIP(sampler);
  std::thread([] { burn(0.4); }).join();
  int samples = 0;
  sampler.drain([&](const CpuSample& s) { samples += s.tid != this_tid(); });
  EXPECT_GT(samples, 50);  // 100 periods; see above
}

// The thread keeps its own list of all operations, which the log leaves out nearly all of.
TEST(CpuSampler, SamplesBelongToTheOperationThatTheirTimeFellInto) {
  CpuSampler& sampler = new_sampler();
  START_OR_SKIP(sampler);
  ThreadRecord record(raw::kMainThread, pthread_self(), this_tid());
  record.learn_cpu();
  ASSERT_TRUE(record.watch_cpus());
  struct Stretch {
    uint64_t end_ns;
    uint32_t operation;
  };
  std::vector<Stretch> all;
  const auto goes_on_to = [&](uint32_t operation) {
    if (record.may_have_been_sampled()) {
      ASSERT_TRUE(record.note_operation(sampler));
    }
    all.push_back({clock_ns(CLOCK_MONOTONIC), record.operation});
    record.operation = operation;
  };
  const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 800'000'000;
  for (uint32_t i = 0; clock_ns(CLOCK_THREAD_CPUTIME_ID) < end; ++i) {
    volatile double x = 1;
    for (int k = 0; k < 20000; ++k) x = x * 1.0000001;  // some ten microseconds
    if (i % 16 == 0) sched_yield();
    goes_on_to(i);
  }
  goes_on_to(raw::kOutsideMpi);
  int samples = 0, wrong = 0;
  record.begin_look_up();
  sampler.drain([&](const CpuSample& s) {
    if (s.tid != this_tid() || s.time_ns < all.front().end_ns || s.time_ns > all.back().end_ns) return;
    const auto truth = std::lower_bound(all.begin(), all.end(), s.time_ns,
                                        [](const Stretch& stretch, uint64_t t) { return stretch.end_ns < t; });
    ++samples;
    wrong += record.operation_at(s.time_ns) != truth->operation;
  });
  record.end_look_up();
  EXPECT_GT(samples, 100);  // of 200
  // A sample between the look at the ring and the end of the stretch counts for the stretch before it, and so does one
  // of a thread that was on another CPU in between. Stretches last some ten microseconds, the look tens of nanoseconds.
  EXPECT_LE(wrong, samples / 20);
}

// Returns the error; empty when there is none.
std::string sample_in_another_process(const std::string& run, int go_on) {
  CpuSampler& sampler = new_sampler();
  if (const int failed = sampler.start(run, kPeriod_ns)) return std::string("start: ") + std::strerror(failed);
  if (sampler.shares()) return "it opened events of its own";
  char byte = 0;
  if (read(go_on, &byte, 1) < 0) return "read";
  burn(0.4);
  int samples = 0;
  sampler.drain([&](const CpuSample& s) { samples += s.tid == this_tid(); });
  return samples > 50 ? "" : std::to_string(samples) + " samples";  // of 100
}

TEST(CpuSampler, RanksShareTheEventsOfTheFirstAlsoWhenItHasEnded) {
  const std::string run = run_of_this_test() + std::to_string(getpid());
  int ready[2], go_on[2], answer[2];
  ASSERT_EQ(pipe(ready) + pipe(go_on) + pipe(answer), 0);
  const pid_t first = fork();
  if (first == 0) {
    CpuSampler& sampler = new_sampler();
    const int failed = sampler.start(run, kPeriod_ns);
    if (write(ready[1], &failed, sizeof failed) < 0) _exit(1);
    pause();
  }
  int failed = 0;
  ASSERT_EQ(read(ready[0], &failed, sizeof failed), static_cast<ssize_t>(sizeof failed));
  if (failed == 0) {
    const pid_t second = fork();
    if (second == 0) {
      const std::string problem = sample_in_another_process(run, go_on[0]);
      if (write(answer[1], problem.data(), problem.size()) < 0) _exit(1);
      _exit(0);
    }
    usleep(200'000);  // mostly after the second has the events; if not it says that it opened its own
    kill(first, SIGKILL);
    waitpid(first, nullptr, 0);
    ASSERT_EQ(write(go_on[1], "x", 1), 1);
    waitpid(second, nullptr, 0);
    close(answer[1]);
    char problem[200] = {};
    ASSERT_GE(read(answer[0], problem, sizeof problem - 1), 0);
    EXPECT_STREQ(problem, "");
  } else {
    kill(first, SIGKILL);
    waitpid(first, nullptr, 0);
  }
  for (const int fd : {ready[0], ready[1], go_on[0], go_on[1], answer[0]}) close(fd);
  if (failed != 0) GTEST_SKIP() << "events of CPUs are refused here: " << std::strerror(failed);
}

}  // namespace
}  // namespace scalediag::inject
