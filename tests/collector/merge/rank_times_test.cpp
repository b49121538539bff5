#include "collector/merge/rank_times.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

constexpr uint64_t kMs = 1000000;  // in nanoseconds

void set(RankRecord& r, const ClockPoint& p) {
  r.points[static_cast<size_t>(p.phase)] = p;
  r.last_point = p;
}

//                 wall [ms]   process CPU   main thread's CPU   collector's CPU
//   load           1000        100           100                 0
//   init end       2000        400           400                 0
//   finalize      11000      12400          6400                20
//   exit          12000      12600          6500                30
// Two ticks a nanosecond from the end of MPI_Init on.
RankRecord record(bool finalised) {
  RankRecord r;
  r.identity.emplace();
  r.identity->sampler = "perf";
  set(r, {raw::Phase::kLoad, 0, 1000 * kMs, 0, 100 * kMs, 100 * kMs, 0});
  set(r, {raw::Phase::kInitEnd, 5000 * kMs, 2000 * kMs, 0, 400 * kMs, 400 * kMs, 0});
  if (finalised) {
    set(r, {raw::Phase::kFinalizeBegin, 23000 * kMs, 11000 * kMs, 0, 12400 * kMs, 6400 * kMs, 20 * kMs});
  }
  set(r, {raw::Phase::kExit, 25000 * kMs, 12000 * kMs, 0, 12600 * kMs, 6500 * kMs, 30 * kMs});
  return r;
}

const SampledTime kSampled = {3.0, 8.5, 2.5, 0.25, 3.0, 0.05, 0.04, 0.3, 0.2};
constexpr double kMainOperations = 4.0;

void expect_identity(const RankTimes& t) {
  EXPECT_NEAR(t.total_s, t.computation_s + t.openmp_waiting_s + t.communication_s + t.others_s + t.unattributed_s,
              1e-12);
}

TEST(RankTimes, CpuClockDividesTheCpuTimeOfAllThreads) {
  const RankTimes t = divide_time(record(true), core::Clock::kCpu, kSampled, kMainOperations);
  EXPECT_NEAR(t.collector_s, 0.08, 1e-12);  // 0.03 its thread, 0.05 in the wrappers
  EXPECT_NEAR(t.total_s, 12.52, 1e-12);     // 12.6 without it
  EXPECT_NEAR(t.others_s, 0.6, 1e-12);      // 0.4 before, 12.6 - 12.4 after
  EXPECT_NEAR(t.communication_s, 3.0, 1e-12);
  EXPECT_NEAR(t.computation_s, 8.5, 1e-12);
  EXPECT_NEAR(t.openmp_waiting_s, 0.3, 1e-12);
  EXPECT_NEAR(t.unattributed_s, 0.12, 1e-12);  // 12.52 - 0.6 - 3.0 - 8.5 - 0.3
  EXPECT_EQ(t.off_cpu_s, 0);
  EXPECT_NEAR(t.wall_s, 11.0, 1e-12);
  EXPECT_NEAR(t.cpu_s, 12.6, 1e-12);
  expect_identity(t);
}

// 0.5 s of CPU time were sampled in calls of a GPU's library, 0.4 s of it on the main thread, of 2.5 s of elapsed time
// in them, 2 s of which are the main thread's.
TEST(RankTimes, CallsOfGpusCountWithTheirElapsedTimeAndAreNoComputation) {
  SampledTime sampled = kSampled;
  sampled.gpu = 0.5;
  sampled.main_gpu = 0.4;
  const RankTimes cpu = divide_time(record(true), core::Clock::kCpu, sampled, kMainOperations, {2.0, 2.5});
  EXPECT_NEAR(cpu.gpu_s, 2.5, 1e-12);
  EXPECT_NEAR(cpu.total_s, 14.52, 1e-12);  // 12.52 - 0.5 + 2.5
  EXPECT_NEAR(cpu.computation_s, 8.5, 1e-12);
  EXPECT_NEAR(cpu.unattributed_s, -0.38, 1e-12);  // 0.12 less the 0.5 that were sampled in calls
  const RankTimes wall = divide_time(record(true), core::Clock::kWall, sampled, kMainOperations, {2.0, 2.5});
  EXPECT_NEAR(wall.gpu_s, 2.0, 1e-12);
  EXPECT_NEAR(wall.total_s, 10.96, 1e-12);
  // Window 9 s less 4 s in operations and 2 s in these calls is 3 s; CPU time elsewhere is 6.0 - 2.5 - 0.4 = 3.1 s.
  EXPECT_EQ(wall.off_cpu_s, 0);
  EXPECT_NEAR(wall.computation_s, 3.0, 1e-12);
}

TEST(RankTimes, WallClockDividesTheTimeOfTheMainThread) {
  const RankTimes t = divide_time(record(true), core::Clock::kWall, kSampled, kMainOperations);
  EXPECT_NEAR(t.collector_s, 0.04, 1e-12);      // the wrappers on the main thread
  EXPECT_NEAR(t.total_s, 10.96, 1e-12);         // 11 without it
  EXPECT_NEAR(t.others_s, 2.0, 1e-12);          // 1 s before, 1 s after
  EXPECT_NEAR(t.communication_s, 4.25, 1e-12);  // operations and MPI's code outside them
  // Window 9 s less 4 s in operations is 5 s; the main thread's CPU there is 6.0 - 2.5 = 3.5 s.
  EXPECT_NEAR(t.off_cpu_s, 1.5, 1e-12);
  EXPECT_NEAR(t.computation_s, 4.5, 1e-12);
  EXPECT_NEAR(t.openmp_waiting_s, 0.2, 1e-12);
  // CPU outside operations 3.5, of which 3.0 + 0.25 + 0.04 + 0.2 was sampled
  EXPECT_NEAR(t.unattributed_s, 0.01, 1e-12);
  expect_identity(t);
}

// 10 s between MPI_Init and MPI_Finalize, of which 2 in MPI. The main thread had a core for 3 s, of these 1 in MPI, so
// that it was off the CPU for 6 s outside; for 4 s in all it waited for a core. 10 - 3 - 4 s are left: it slept. Its
// children used 1.5 s.
TEST(RankTimes, SleepIsWhatNoCoreAndNoThreadExplains) {
  RankRecord r;
  r.identity.emplace().sampler = "perf";
  const auto at = [&r](raw::Phase phase, uint64_t wall, uint64_t process, uint64_t thread, uint64_t core,
                       uint64_t child) {
    set(r, {phase, wall * kMs, wall * kMs, 0, process * kMs, thread * kMs, 0});
    r.waits[static_cast<size_t>(phase)] = r.last_waits = Waits{core * kMs, child * kMs};
  };
  at(raw::Phase::kLoad, 1000, 0, 0, 0, 0);
  at(raw::Phase::kInitEnd, 2000, 400, 400, 100, 500);
  at(raw::Phase::kFinalizeBegin, 12000, 3400, 3400, 4100, 2000);
  at(raw::Phase::kExit, 13000, 3500, 3500, 5000, 9000);
  SampledTime sampled;
  sampled.main_operations = 1;
  const RankTimes t = divide_time(r, core::Clock::kCpu, sampled, 2);
  ASSERT_TRUE(t.asleep_s && t.children_s);
  EXPECT_NEAR(*t.asleep_s, 3, 1e-9);
  EXPECT_NEAR(*t.children_s, 1.5, 1e-9);
  // Of 2.5 s in calls of GPUs the host had a core for 0.5 s: the other 2 s are no sleep of its own.
  SampledTime waits_for_gpu = sampled;
  waits_for_gpu.gpu = waits_for_gpu.main_gpu = 0.5;
  GpuTime gpu;
  gpu.main = gpu.all = 2.5;
  EXPECT_NEAR(*divide_time(r, core::Clock::kCpu, waits_for_gpu, 2, gpu).asleep_s, 1, 1e-9);
  // Other threads that used 6 s meanwhile leave 10 - 9 s.
  at(raw::Phase::kFinalizeBegin, 12000, 9400, 3400, 4100, 2000);
  EXPECT_NEAR(*divide_time(r, core::Clock::kCpu, sampled, 2).asleep_s, 1, 1e-9);
  // A system that does not tell what waited for a core.
  r.waits = {};
  r.last_waits.reset();
  EXPECT_FALSE(divide_time(r, core::Clock::kCpu, sampled, 2).asleep_s);
}

TEST(RankTimes, WithoutFinalizeTheWindowEndsAtTheLastPoint) {
  const RankTimes cpu = divide_time(record(false), core::Clock::kCpu, kSampled, kMainOperations);
  EXPECT_NEAR(cpu.others_s, 0.4, 1e-12);
  EXPECT_NEAR(cpu.unattributed_s, 0.32, 1e-12);  // 12.6 - 0.08 - 0.4 - 3.0 - 8.5 - 0.3
  expect_identity(cpu);
  const RankTimes wall = divide_time(record(false), core::Clock::kWall, kSampled, kMainOperations);
  EXPECT_NEAR(wall.others_s, 1.0, 1e-12);
  EXPECT_NEAR(wall.off_cpu_s, 2.4, 1e-12);  // 10 - 4 - (6.1 - 2.5)
  expect_identity(wall);
}

TEST(RankTimes, TimeOffTheCpuIsNeverNegative) {
  // 9 s window, 8 s of them in operations: 1 s is left for 3.5 s of CPU time, as a coarse clock may have it.
  const RankTimes t = divide_time(record(true), core::Clock::kWall, kSampled, 8.0);
  EXPECT_EQ(t.off_cpu_s, 0);
  EXPECT_NEAR(t.unattributed_s, 11.0 - 0.04 - 3.0 - 0.2 - 8.25 - 2.0, 1e-12);  // negative, and left so
  expect_identity(t);
}

TEST(RankTimes, WithoutSamplesTimeOutsideMpiIsUnattributed) {
  RankRecord r = record(true);
  r.identity->sampler = "none";
  const RankTimes cpu = divide_time(r, core::Clock::kCpu, {}, kMainOperations);
  EXPECT_EQ(cpu.computation_s, 0);
  EXPECT_NEAR(cpu.unattributed_s, 11.97, 1e-12);  // 12.6 - 0.03 - 0.6
  const RankTimes wall = divide_time(r, core::Clock::kWall, {}, kMainOperations);
  EXPECT_EQ(wall.computation_s, 0);
  EXPECT_NEAR(wall.communication_s, 4.0, 1e-12);
  EXPECT_NEAR(wall.unattributed_s, 5.0, 1e-12);  // 11 - 2 - 4
  expect_identity(wall);
}

TEST(RankTimes, ATickIsMeasuredFromTheEndOfInitOn) {
  // 25000 - 5000 million ticks in 12000 - 2000 ms; before that the counter ran differently.
  EXPECT_NEAR(seconds_per_tick(record(true)), 0.5e-9, 1e-21);
  RankRecord r = record(true);
  r.points[static_cast<size_t>(raw::Phase::kExit)].reset();
  r.last_point = r.point(raw::Phase::kInitEnd);
  EXPECT_NEAR(seconds_per_tick(r), 1.0 / 5e9, 1e-21);  // 1000 ms, 5000 million ticks since loading
  r.points[static_cast<size_t>(raw::Phase::kLoad)].reset();
  EXPECT_FALSE(has_clock_points(r));
  EXPECT_EQ(seconds_per_tick(r), 0);
}

TEST(RankTimes, ThreadsAreBusyWhenTheyUsedAShareOfTheCpu) {
  RankRecord r = record(true);
  EXPECT_TRUE(has_busy_threads(r));  // 12.0 s, 6.0 of the main thread, 0.02 of the collector
  set(r, {raw::Phase::kFinalizeBegin, 0, 11000 * kMs, 0, 6700 * kMs, 6400 * kMs, 20 * kMs});
  EXPECT_FALSE(has_busy_threads(r));  // 6.3 s, of which 0.28 by threads: 4.4 %
}

}  // namespace
}  // namespace scalediag::merge
