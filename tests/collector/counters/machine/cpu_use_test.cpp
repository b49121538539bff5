#include "collector/counters/machine/cpu_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace scalediag::counters {
namespace {

// user nice system idle iowait irq softirq steal guest guest_nice, as proc(5) orders them.
constexpr char kStat[] =
    "cpu  300 30 60 900 9 6 3 12 0 0\n"
    "cpu0 100 10 20 300 3 2 1 4 0 0\n"
    "cpu1 100 10 20 300 3 2 1 4 0 0\n"
    "cpu10 100 10 20 300 3 2 1 4 50 0\n"
    "intr 12345 0 0\n";

TEST(CpuUse, BusyIsAllButIdleAndWaitingAndStolenIsApart) {
  // 100 + 10 + 20 + 2 + 1 ticks of 1/100 s busy, 4 stolen.
  const auto use = parse_cpu_use(kStat, {0}, 100);
  ASSERT_TRUE(use.has_value());
  EXPECT_DOUBLE_EQ(use->busy_s, 1.33);
  EXPECT_DOUBLE_EQ(use->stolen_s, 0.04);
}

TEST(CpuUse, OnlyTheCpusThatWereAskedForCount) {
  // cpu1 is not cpu10, and the line of all together is neither. Guests' time is in `user` already.
  const auto use = parse_cpu_use(kStat, {1, 10}, 100);
  ASSERT_TRUE(use.has_value());
  EXPECT_DOUBLE_EQ(use->busy_s, 2.66);
}

TEST(CpuUse, WhatTheSystemDoesNotTellIsNotZero) {
  EXPECT_FALSE(parse_cpu_use(kStat, {0, 2}, 100).has_value());
  EXPECT_FALSE(parse_cpu_use("cpu0 1 2 3\n", {0}, 100).has_value());
  EXPECT_FALSE(parse_cpu_use("", {0}, 100).has_value());
}

TEST(CpuUse, OurOwnWorkIsNotTheOthers) {
  const int cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<int> all;
  for (int cpu = 0; cpu < cpus; ++cpu) all.push_back(cpu);
  const OthersOnCpus others(all);
  const auto share = others.since_begin();
  if (!share) GTEST_SKIP() << "this system has no /proc/stat, or not a line for every CPU";
  EXPECT_GE(share->programs, 0);
  EXPECT_GE(share->stolen, 0);
}

}  // namespace
}  // namespace scalediag::counters
