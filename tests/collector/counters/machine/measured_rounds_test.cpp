#include "collector/counters/machine/measured_rounds.h"

#include <gtest/gtest.h>

#include "tests/core/example_machine.h"

namespace scalediag::counters {
namespace {

core::Machine round_of(double memory_latency_s, double bandwidth) {
  core::Machine m = core::example_machine();
  m.memory_latency_s.value = memory_latency_s;
  m.bandwidth[0].bytes_per_s.value = bandwidth;
  m.bandwidth[0].best_bytes_per_s = 1.1 * bandwidth;
  return m;
}

TEST(MeasuredRounds, ABusyNeighbourInOneRoundChangesNothing) {
  // In the second round another program used the memory: twice the latency, half the bandwidth.
  const core::Machine m = combine_rounds({round_of(100e-9, 20e9), round_of(200e-9, 10e9), round_of(101e-9, 19.8e9)});
  EXPECT_DOUBLE_EQ(m.memory_latency_s.value, 100e-9);
  EXPECT_DOUBLE_EQ(m.bandwidth[0].bytes_per_s.value, 20e9);
  EXPECT_DOUBLE_EQ(m.bandwidth[0].best_bytes_per_s, 22e9);
  // The second best are 1 % away, less than the 5 % and 2 % of quartiles that the best round has by itself.
  EXPECT_DOUBLE_EQ(m.memory_latency_s.spread, 0.05);
  EXPECT_DOUBLE_EQ(m.bandwidth[0].bytes_per_s.spread, 0.02);
}

TEST(MeasuredRounds, ABestValueThatNoOtherRoundCameNearIsUncertain) {
  const std::vector<core::Machine> rounds = {round_of(100e-9, 20e9), round_of(150e-9, 20e9), round_of(140e-9, 20e9)};
  EXPECT_NEAR(combine_rounds(rounds).memory_latency_s.spread, 0.4, 1e-12);
  EXPECT_FALSE(rounds_agree(rounds, 0.05));
}

TEST(MeasuredRounds, TwoThatAgreeAreEnoughAndOneIsNot) {
  EXPECT_FALSE(rounds_agree({round_of(100e-9, 20e9)}, 0.05));
  EXPECT_TRUE(rounds_agree({round_of(100e-9, 20e9), round_of(104e-9, 19.2e9)}, 0.05));
  EXPECT_TRUE(rounds_agree({round_of(100e-9, 20e9), round_of(150e-9, 9e9), round_of(104e-9, 19.2e9)}, 0.05));
  EXPECT_FALSE(rounds_agree({round_of(100e-9, 20e9), round_of(106e-9, 20e9)}, 0.05));
  EXPECT_FALSE(rounds_agree({round_of(100e-9, 20e9), round_of(100e-9, 18.9e9)}, 0.05));
}

TEST(MeasuredRounds, ATooSmallFrequencyDoesNotMakeATooSmallCpi) {
  // CPI = seconds an instruction x frequency. Both rounds have the same 0.25 / 3.5e9 s, but the second measured half
  // the frequency: 0.125 would be the smaller CPI, and wrong.
  core::Machine good = core::example_machine();
  core::Machine disturbed = good;
  disturbed.sustained_hz.value = good.sustained_hz.value / 2;
  disturbed.smallest_cpi.value = good.smallest_cpi.value / 2;
  EXPECT_DOUBLE_EQ(combine_rounds({good, disturbed}).smallest_cpi.value, 0.25);
  EXPECT_DOUBLE_EQ(combine_rounds({disturbed, good}).smallest_cpi.value, 0.25);
}

TEST(MeasuredRounds, StepsAreThoseOfTheBestCurve) {
  // Latencies 1, 4, 16 and 100 ns. In the first round a neighbour took the last level from 1 MiB on, in the second none
  // did: the step to 100 ns lies where (16 + 100) / 2 = 58 ns = 16 ns x (100/16)^0.7027 is passed, that is
  // 16 MiB x 2^0.7027 = 26.04 MiB.
  constexpr double kMiB = 1048576;
  core::Machine first = core::example_machine();
  first.latency_curve = {{kMiB, 16e-9}, {4 * kMiB, 90e-9}, {16 * kMiB, 100e-9}, {32 * kMiB, 100e-9}};
  core::Machine second = first;
  second.latency_curve = {{kMiB, 16e-9}, {4 * kMiB, 16e-9}, {16 * kMiB, 16e-9}, {32 * kMiB, 101e-9}};
  const core::Machine m = combine_rounds({first, second});
  EXPECT_DOUBLE_EQ(m.latency_curve[3].second, 100e-9);
  EXPECT_NEAR(m.caches[2].step_bytes / kMiB, 26.04, 0.01);
}

TEST(MeasuredRounds, SmallPagesInOneRoundAreSmallPages) {
  core::Machine small = core::example_machine();
  small.pages = "small";
  EXPECT_EQ(combine_rounds({core::example_machine(), small}).pages, "small");
}

}  // namespace
}  // namespace scalediag::counters
