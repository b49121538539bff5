#include "collector/launch/plan/pass_cost.h"

#include <gtest/gtest.h>

#include "collector/counters/callgrind/valgrind.h"

namespace scalediag::launch {
namespace {

core::Run run_of(double computation_s) {
  core::Run run;
  run.times.computation_s.mean = computation_s;
  run.times.cpu_s.mean = computation_s;
  return run;
}

TEST(ExpectedPass, IsSlowedDownComputationAndTheStartOfEachRank) {
  const core::Run first = run_of(2), second = run_of(4);  // mean 3 s
  const double of_a_rank = counters::kSimulationStart_s + 3 * counters::kCountingSlowdown;
  EXPECT_DOUBLE_EQ(expected_pass_s({&first, &second}, 2, 2), of_a_rank);
  // Eight ranks on two cores: four one after the other.
  EXPECT_DOUBLE_EQ(expected_pass_s({&first, &second}, 8, 2), 4 * of_a_rank);
  // More cores than ranks make a rank no faster.
  EXPECT_DOUBLE_EQ(expected_pass_s({&first, &second}, 2, 64), of_a_rank);
}

// Two functions of 1 s and 2 s of CPU time, on cores that others used as well: 9 s went by.
TEST(ExpectedPass, IsOfCpuTimeWhereItIsKnown) {
  core::Run run = run_of(9);
  for (const double cpu_s : {1.0, 2.0}) {
    core::Kernel kernel;
    kernel.metrics["cpu_s"].mean = cpu_s;
    run.kernels.push_back(kernel);
  }
  run.kernels.emplace_back();
  run.kernels.back().kind = core::KernelKind::kSystem;  // "[off-CPU]"
  run.kernels.back().metrics["cpu_s"].mean = 6;
  EXPECT_DOUBLE_EQ(expected_pass_s({&run}, 1, 2), counters::kSimulationStart_s + 3 * counters::kCountingSlowdown);
}

// Elapsed 60 s outside MPI, of which the process worked 1.5 s and 0.5 s more in MPI: it slept, and will sleep no longer
// under valgrind.
TEST(ExpectedPass, CountsNoSleep) {
  core::Run run = run_of(60);
  run.times.cpu_s.mean = 2;
  run.operations.emplace_back();
  run.operations.back().cpu_s.mean = 0.5;
  EXPECT_DOUBLE_EQ(expected_pass_s({&run}, 1, 2), counters::kSimulationStart_s + 1.5 * counters::kCountingSlowdown);
}

TEST(ExpectedPass, OfNothingMeasuredIsNothing) { EXPECT_EQ(expected_pass_s({}, 4, 2), 0); }

TEST(ExpectedPass, OfAPartIsTheWholeStart) {
  const core::Run run = run_of(2);
  EXPECT_DOUBLE_EQ(expected_pass_s({&run}, 1, 2, 0.25),
                   counters::kSimulationStart_s + 0.5 * counters::kCountingSlowdown);
}

// 100 rounds of 0.9 % of the computation each, after 5 %.
LoopCost hundred_rounds() {
  LoopCost loop;
  loop.rounds = 100;
  loop.before = 0.05;
  loop.round = 0.009;
  return loop;
}

// A second for each rank and per cent of the computation.
double seconds(size_t ranks, double part) { return static_cast<double>(ranks) * 100 * part; }

// The first round and four more take 5 + 4.5 per cent: 38 s for four ranks, 19 s for two, 9.5 s for one.
TEST(ChoosePart, TakesAsManyRanksAsTheBudgetHasRoomFor) {
  for (const auto& [budget_s, ranks] : {std::pair(39.0, 4U), {37.0, 2U}, {18.0, 1U}}) {
    const PassPart part = choose_part(hundred_rounds(), {4, 2, 1}, budget_s, seconds);
    EXPECT_EQ(part.ranks, ranks);
    EXPECT_EQ(part.counted, 1 + kUsualRounds);
    EXPECT_NEAR(part.part, 0.095, 1e-12);
  }
}

// Then fewer rounds, but an even number beside the first and never fewer than two: 5 + 2.7 per cent.
TEST(ChoosePart, TakesFewerRoundsOfOneRank) {
  EXPECT_EQ(choose_part(hundred_rounds(), {4, 2, 1}, 8.7, seconds).counted, 3u);
  const PassPart least = choose_part(hundred_rounds(), {4, 2, 1}, 1, seconds);
  EXPECT_EQ(least.ranks, 1u);
  EXPECT_EQ(least.counted, 1 + kFewestRounds);
}

TEST(ChoosePart, TakesSoManyRoundsThatEveryCallIsMet) {
  LoopCost loop = hundred_rounds();
  loop.rounds_with_all_calls = 21;
  EXPECT_EQ(choose_part(loop, {1}, 1000, seconds).counted, 1u + 22);
  // Periods of 3 rounds, which two may alternate in: 24 is the first number of pairs.
  loop.period = 3;
  EXPECT_EQ(choose_part(loop, {1}, 1000, seconds).counted, 1u + 24);
  EXPECT_EQ(choose_part(loop, {1}, 1, seconds).counted, 1u + 6);
}

// 1 + 4 of 6 rounds begin as many times as there are rounds; 5 + 61 x 0.9 per cent save little.
TEST(ChoosePart, IsTheWholeWhereThatSavesLittle) {
  LoopCost few = hundred_rounds();
  few.rounds = 4;
  EXPECT_EQ(choose_part(few, {2}, 1000, seconds).counted, 0u);
  EXPECT_EQ(part_of(hundred_rounds(), 2, 61).counted, 61u);
  EXPECT_EQ(part_of(hundred_rounds(), 2, 62).counted, 0u);
}

TEST(PassPace, IsWhatPassesTookAgainstWhatWasExpected) {
  PassPace pace;
  EXPECT_FALSE(pace.is_known());
  EXPECT_EQ(pace.value(), 1);
  pace.add(10, 5);
  pace.add(30, 15);  // 20 s in place of 40 s
  EXPECT_TRUE(pace.is_known());
  EXPECT_DOUBLE_EQ(pace.value(), 0.5);
}

// 99 % of the budget is no promise to stay within it: 80 s may become 120 s, and with the pace of this program 100 s.
TEST(PassPace, LeavesAMarginForItsError) {
  PassPace pace;
  EXPECT_FALSE(pace.fits(0.99 * 120, 120));
  EXPECT_TRUE(pace.fits(80, 120));
  pace.add(10, 10);
  EXPECT_FALSE(pace.fits(101, 120));
  EXPECT_TRUE(pace.fits(100, 120));
}

}  // namespace
}  // namespace scalediag::launch
