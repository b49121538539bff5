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
