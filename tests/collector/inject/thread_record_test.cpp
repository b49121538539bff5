// The samplers on real threads. The tests check identities of CPU time, never how fast anything was.
#include "collector/inject/thread_record.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "collector/inject/clock_points.h"

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

struct Totals {
  uint64_t samples = 0, cpu_ns = 0, inside_mpi_ns = 0;
};

Totals totals_of(const SampleTable& table) {
  Totals t;
  for (const SampleTable::Entry& e : table.entries()) {
    t.samples += e.value.samples;
    t.cpu_ns += e.value.cpu_ns;
    if (e.key.operation != raw::kOutsideMpi) t.inside_mpi_ns += e.value.cpu_ns;
  }
  return t;
}

class Samplers : public testing::TestWithParam<SamplerChoice> {
 protected:
  void SetUp() override {
    pmpi::this_thread = nullptr;
#ifdef __SANITIZE_THREAD__
    if (GetParam() == SamplerChoice::kTimer) GTEST_SKIP() << "the thread sanitizer holds signals back";
#endif
    SamplerOutcome outcome;
    if (!record_.start_sampler(GetParam(), kPeriod_ns, outcome)) {
      GTEST_SKIP() << "refused here: " << std::strerror(outcome.perf_errno + outcome.timer_errno);
    }
  }
  void TearDown() override { record_.stop_sampler(); }
  ThreadRecord record_{raw::kMainThread, pthread_self(), this_tid()};
};

TEST_P(Samplers, SamplesStandForAllCpuTimeButTheLastPeriod) {
  const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t began = clock_ns(CLOCK_MONOTONIC);
  SampleTable table;
  Totals t;
  uint64_t used = 0;
  uint64_t elapsed = 0;
  // On a busy machine a signal may stand for many periods, but not every time.
  for (int attempt = 0; attempt < 5 && t.samples <= 10; ++attempt) {
    burn(0.4);
    record_.collect(0, table);
    used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    elapsed = clock_ns(CLOCK_MONOTONIC) - began;
    t = totals_of(table);
  }
  EXPECT_GT(t.samples, 10u);
  // A sample closes the time since the one before it, so that at most the time since the last sample is open. The
  // scheduler's tick (at most 10 ms) limits how late a sample can be.
  EXPECT_GE(t.cpu_ns + kPeriod_ns + 10'000'000, used);
  // The excess is at most the time that a host takes from a virtual machine: perf's clock goes on then, the thread's
  // does not.
  EXPECT_LE(t.cpu_ns, elapsed + kPeriod_ns + 10'000'000);
}

TEST_P(Samplers, TimeInsideAnOperationIsChargedToIt) {
  burn(0.3);
  record_.drain(0);  // as a wrapper does when it enters
  record_.operation = 17;
  burn(0.3);
  record_.drain(0);
  record_.operation = raw::kOutsideMpi;
  SampleTable table;
  record_.collect(0, table);
  const Totals t = totals_of(table);
  // Half of the time was spent in the operation. A period may be charged to the wrong side at each of two borders, and
  // the timer's periods are those of the scheduler where others want the core.
  EXPECT_NEAR(static_cast<double>(t.inside_mpi_ns), static_cast<double>(t.cpu_ns) / 2, 0.1e9);
  for (const SampleTable::Entry& e : table.entries()) {
    if (e.key.operation != raw::kOutsideMpi) {
      EXPECT_EQ(e.key.operation, 17u);
      EXPECT_EQ(e.key.address, 0u);
    }
  }
}

TEST_P(Samplers, AThreadThatWaitsIsNotSampled) {
  burn(0.05);
  SampleTable warm;
  record_.collect(0, warm);
  for (int i = 0; i < 20; ++i) usleep(10'000);
  SampleTable table;
  record_.collect(0, table);
  // 0.2 s asleep; what little CPU time the calls need is far below that.
  EXPECT_LT(totals_of(table).cpu_ns, 0.05e9);
}

TEST_P(Samplers, AnotherThreadCanBeSampledFromOutside) {
  std::atomic<int> stage{0};
  std::atomic<pid_t> tid{0};
  std::thread other([&] {
    tid = this_tid();
    stage = 1;
    while (stage < 2) usleep(1000);
    burn(0.2);
    stage = 3;
    while (stage < 4) usleep(1000);
  });
  while (stage < 1) usleep(1000);
  ThreadRecord outside(raw::kOtherThread, other.native_handle(), tid);
  SamplerOutcome outcome;
  EXPECT_TRUE(outside.start_sampler(GetParam(), kPeriod_ns, outcome));
  stage = 2;
  while (stage < 3) usleep(1000);
  SampleTable table;
  outside.collect(0, table);
  EXPECT_NEAR(static_cast<double>(totals_of(table).cpu_ns), 0.2e9, 0.03e9);
  for (const SampleTable::Entry& e : table.entries()) EXPECT_EQ(e.key.thread_class, raw::kOtherThread);
  stage = 4;
  other.join();
  outside.stop_sampler();
}

// Threads of half a millisecond end before their first period of 4 ms is up, so hardly anything of them is sampled: the
// timer's random moment of a period meets one in eight.
TEST_P(Samplers, AThreadShorterThanAPeriodIsChargedToItsStartFunction) {
  constexpr uint64_t kStart = 0x1234;
  SampleTable table;
  uint64_t used = 0;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      ThreadRecord brief(raw::kOtherThread, pthread_self(), this_tid(), kStart);
      SamplerOutcome outcome;
      brief.start_sampler(GetParam(), kPeriod_ns, outcome);
      brief.count_from_birth();
      const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
      burn(0.0005);
      used += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
      brief.settle(0);
      brief.settle(0);  // there is nothing left to charge
      brief.collect(0, table);
      brief.stop_sampler();
    }).join();
  }
  const Totals t = totals_of(table);
  uint64_t at_start = 0;
  for (const SampleTable::Entry& e : table.entries()) {
    if (e.key.address == kStart) at_start += e.value.cpu_ns;
  }
  // The charged time is the used time and that of beginning threads, less than 1 ms each. Where a busy host makes a
  // thread longer than its period, a sample of it is elsewhere.
  EXPECT_GE(t.cpu_ns + 100'000, used);
  EXPECT_LE(t.cpu_ns, used + 20'000'000);
  EXPECT_GT(at_start, used / 4);
}

// Time after the last sample is charged to the place of that sample, as the most likely one.
TEST_P(Samplers, TheEndOfASampledThreadIsChargedToItsLastSample) {
  constexpr uint64_t kStart = 0x1234;
  SampleTable table;
  uint64_t used = 0;
  std::thread([&] {
    ThreadRecord longer(raw::kOtherThread, pthread_self(), this_tid(), kStart);
    SamplerOutcome outcome;
    longer.start_sampler(GetParam(), kPeriod_ns, outcome);
    const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    burn(0.1);  // 25 periods
    used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    longer.settle(0);
    longer.collect(0, table);
    longer.stop_sampler();
  }).join();
  for (const SampleTable::Entry& e : table.entries()) EXPECT_NE(e.key.address, kStart);
  EXPECT_GE(totals_of(table).cpu_ns + 100'000, used);
}

INSTANTIATE_TEST_SUITE_P(Both, Samplers, testing::Values(SamplerChoice::kPerf, SamplerChoice::kTimer),
                         [](const auto& which) { return which.param == SamplerChoice::kPerf ? "perf" : "timer"; });

TEST(ThreadRecord, AnUnknownThreadIsRefusedWithAReason) {
  ThreadRecord record(raw::kOtherThread, pthread_self(), 999999999);
  SamplerOutcome outcome;
  EXPECT_FALSE(record.start_sampler(SamplerChoice::kPerf, kPeriod_ns, outcome));
  EXPECT_NE(outcome.perf_errno, 0);
}

// A thread that yields twice in an operation is waiting: from then on its clock is read, and no samples are taken.
TEST(ThreadRecord, WhatAWaitingThreadUsesIsChargedByItsClock) {
  ThreadRecord record(raw::kMainThread, pthread_self(), this_tid());
  SamplerOutcome outcome;
  if (!record.start_sampler(SamplerChoice::kPerf, kPeriod_ns, outcome)) GTEST_SKIP() << "refused here";
  const volatile uint64_t* const ring = record.ring_head;
  record.operation = 17;
  record.yields_in_mpi(0);
  record.yields_in_mpi(0);
  const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  burn(0.1);
  SampleTable during;
  record.collect(0, during);  // as the flusher does while the thread waits
  burn(0.1);
  const uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
  EXPECT_NE(*record.ring_head, record.ring_seen.load());  // this makes the wrapper drain at the end
  record.drain(0);
  EXPECT_EQ(record.ring_head, ring);
  record.operation = raw::kOutsideMpi;
  SampleTable after;
  record.collect(0, after);
  const Totals first = totals_of(during), second = totals_of(after);
  // The excess over 0.2 s is the little time that the calls themselves need; no sample of 4 ms is in it.
  EXPECT_NEAR(static_cast<double>(first.inside_mpi_ns + second.inside_mpi_ns), static_cast<double>(used), 3e6);
  EXPECT_LE(first.samples + second.samples, 1u);  // 50 if it had gone on
  burn(0.1);
  SampleTable again;
  record.collect(0, again);
  EXPECT_GT(totals_of(again).samples, 5u);  // 25 periods; it samples again
  record.stop_sampler();
}

// A single yield does not count as waiting.
TEST(ThreadRecord, AThreadThatYieldsOnceIsSampledOn) {
  ThreadRecord record(raw::kMainThread, pthread_self(), this_tid());
  SamplerOutcome outcome;
  if (!record.start_sampler(SamplerChoice::kPerf, kPeriod_ns, outcome)) GTEST_SKIP() << "refused here";
  for (int i = 0; i < 3; ++i) {
    record.operation = 17;
    record.yields_in_mpi(0);
    record.drain(0);  // the operation ends
    record.operation = raw::kOutsideMpi;
  }
  burn(0.1);
  SampleTable table;
  record.collect(0, table);
  EXPECT_GT(totals_of(table).samples, 5u);
  record.stop_sampler();
}

TEST(ThreadRecord, WithoutASamplerNothingIsSampled) {
  ThreadRecord record(raw::kMainThread, pthread_self(), this_tid());
  SamplerOutcome outcome;
  EXPECT_FALSE(record.start_sampler(SamplerChoice::kNone, kPeriod_ns, outcome));
  EXPECT_FALSE(record.sampled());
  SampleTable table;
  record.collect(0, table);
  EXPECT_TRUE(table.entries().empty());
}

}  // namespace
}  // namespace scalediag::inject
