#include "loggp/network/measuring_plan.h"

#include <gtest/gtest.h>

namespace scalediag::loggp {
namespace {

// What the trial sees of two hosts with this latency (one way) and these seconds a byte.
NetworkMeasurement trial_of(double latency_s, double byte_s, int ranks) {
  NetworkMeasurement trial;
  trial.ranks = ranks;
  MeasuredLink link;
  for (const uint64_t bytes : trial_sizes(1 << 20)) {
    MeasuredSize size;
    size.sample.bytes = bytes;
    const double passes_s = byte_s * static_cast<double>(bytes);
    for (int q = 0; q < 3; ++q) {
      size.sample.half_round_trip_s[q] = latency_s + passes_s;
      size.sample.gap_s[q] = passes_s;
    }
    link.sizes.push_back(size);
  }
  trial.links.push_back(link);
  return trial;
}

TEST(MeasuringPlan, WhereMessagesAreFastEverySizeIsMeasuredThreeTimes) {
  const MeasuringPlan plan = MeasuringTimes(trial_of(1e-6, 1e-10, 2), 0.2).plan(1 << 20, 72);
  EXPECT_EQ(plan.passes, 3);
  EXPECT_EQ(plan.largest, 1U << 20);
  EXPECT_EQ(plan.sizes.size(), 21U + 14U);  // 2^0 to 2^20, and 96, 192, ... 786432
  // Each pass over a size is its share of 0.2 s, above 64 KiB without the 30 % for overheads: 27 and 8 sizes. Finding
  // S_sync takes 22 times 40 ms. The rest is below 3 %.
  const double expected_s = 3 * (27 * 0.2 + 8 * 0.14) + 22 * 0.04;
  EXPECT_NEAR(plan.seconds, expected_s, 0.03 * expected_s);
}

TEST(MeasuringPlan, SlowMessagesAreMeasuredOnceAndNoneThatTakesTooLong) {
  // 20 ms and 20 Mbit/s among 16 hosts: a megabyte takes 0.42 s, a burst of ten 4.2 s.
  const NetworkMeasurement trial = trial_of(20e-3, 0.4e-6, 16);
  const MeasuringTimes times(trial, 0.2);
  const MeasuringPlan plan = times.plan(1 << 20, 100);
  EXPECT_EQ(plan.passes, 1);
  EXPECT_LE(plan.seconds, 100);
  EXPECT_GE(plan.largest, 65536U);
  EXPECT_EQ(plan.sizes.back(), plan.largest);
  // More time, larger messages.
  EXPECT_GE(times.plan(1 << 20, 300).largest, plan.largest);
  EXPECT_EQ(times.plan(1 << 20, 1000).passes, 3);
}

TEST(MeasuringPlan, AShortLimitLeavesOutRepeatsThenTimeThenSizes) {
  // Messages cost nothing here, so that a size takes its share of the time, and S_sync 22 times 40 ms = 0.88 s.
  const NetworkMeasurement trial = trial_of(1e-6, 1e-10, 2);
  const MeasuringTimes times(trial, 0.2);
  // One pass over 27 small and 8 large sizes: 27 * 0.2 + 8 * 0.14 + 0.88 = 7.40 s; a quarter of it: 1.63 + 0.88 = 2.51
  // s.
  const MeasuringPlan once = times.plan(1 << 20, 8.2);
  EXPECT_EQ(once.passes, 1);
  EXPECT_DOUBLE_EQ(once.budget_s, 0.2);
  const MeasuringPlan quicker = times.plan(1 << 20, 3.2);
  EXPECT_DOUBLE_EQ(quicker.budget_s, 0.05);
  EXPECT_EQ(quicker.sizes.size(), 35U);
  EXPECT_EQ(quicker.left_out(1 << 20, 0.2),
            "sizes were measured once instead of 3 times, with 1/4 of the time for each");
  // The 17 powers of two up to 64 KiB in a sixteenth of the time: 17 * 0.0125 + 0.88 = 1.09 s, although nothing fits.
  const MeasuringPlan least = times.plan(1 << 20, 1);
  EXPECT_EQ(least.sizes.size(), 17U);
  EXPECT_NEAR(least.seconds, 1.09, 0.05);
  EXPECT_EQ(least.left_out(1 << 20, 0.2),
            "sizes were measured once instead of 3 times, with 1/16 of the time for each, and none above 65.5 kB");
  EXPECT_EQ(times.plan(1 << 20, 100).left_out(1 << 20, 0.2), "");
}

TEST(MeasuringPlan, SizesThatTheProbeHadNoTimeForAreCounted) {
  // The trial has 1 B and 64 KiB.
  EXPECT_EQ(missing_sizes(trial_of(1e-6, 1e-10, 2), {1, 2, 65536, 131072}), 2U);
}

TEST(MeasuringPlan, TimeOfOneSize) {
  // Round trips of 1 B take 40 ms. Of 8 B: three round trips; a burst twice: a round trip, another of 1 B until the
  // receives are posted, and nine gaps of 3.2 us; overheads: twice ten round trips and one of 1 B.
  const NetworkMeasurement trial = trial_of(20e-3, 0.4e-6, 2);
  const double round_trip_s = 2 * (20e-3 + 3.2e-6);
  const double small_s = 2 * (20e-3 + 0.4e-6);
  const double burst_s = round_trip_s + small_s + 9 * 3.2e-6;
  const double expected_s = 3 * round_trip_s + 2 * burst_s;
  const MeasuringTimes times(trial, 0.01);
  EXPECT_NEAR(times.of_sizes({8}, 1, false), expected_s, 1e-9);
  EXPECT_NEAR(times.of_sizes({8}, 1, true), expected_s + 2 * (10 * round_trip_s + small_s), 1e-9);
  EXPECT_NEAR(times.of_sizes({8, 8}, 3, false), 6 * expected_s, 1e-9);
}

}  // namespace
}  // namespace scalediag::loggp
