#include "core/profile/run_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/example_profile.h"

namespace scalediag::core {
namespace {

Kernel kernel(const std::string& name, double rank0_s, double rank1_s, uint64_t samples) {
  Kernel k;
  k.name = name;
  k.module = "app";
  k.samples = samples;
  k.metrics["time_s"] = over_two_ranks(rank0_s, rank1_s);
  return k;
}

MpiOperation operation(const std::string& name, double rank0_s, double rank1_s, uint64_t samples) {
  MpiOperation o;
  o.operation = name;
  o.calls = over_two_ranks(10, 20);
  o.bytes = over_two_ranks(100, 300);
  o.time_s = over_two_ranks(rank0_s, rank1_s);
  o.wall_s = over_two_ranks(2 * rank0_s, 2 * rank1_s);
  o.blocked_s = over_two_ranks(rank0_s / 2, rank1_s / 2);
  o.samples = samples;
  return o;
}

Run run_of(int repeat, double total_s) {
  Run run;
  run.np = 2;
  run.repeat = repeat;
  run.complete = true;
  run.times.total_s = over_two_ranks(total_s, total_s);
  return run;
}

std::vector<const Run*> pointers(const std::vector<core::Run>& runs) {
  std::vector<const Run*> all;
  for (const core::Run& run : runs) all.push_back(&run);
  return all;
}

TEST(Summarize, AveragesOverRanksAndRepeats) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 12)};
  runs[0].times.computation_s = over_two_ranks(6, 8);
  runs[1].times.computation_s = over_two_ranks(8, 10);
  runs[0].times.communication_s = over_two_ranks(4, 2);
  runs[1].times.communication_s = over_two_ranks(3, 1);
  runs[0].lost_samples = 3;
  runs[1].lost_samples = 4;
  runs[0].samples = 100;
  runs[1].samples = 200;
  const ConfigurationSummary s = summarize(pointers(runs));
  EXPECT_EQ(s.np, 2);
  EXPECT_DOUBLE_EQ(s.total_s, 11);
  EXPECT_DOUBLE_EQ(s.computation_s, 8);      // (7 + 9) / 2
  EXPECT_DOUBLE_EQ(s.communication_s, 2.5);  // (3 + 2) / 2
  EXPECT_DOUBLE_EQ(s.imbalance, 0.125);      // (8 + 10) / 2 / 8 - 1
  // 10 and 12: mean 11, deviation sqrt((1 + 1) / 1).
  EXPECT_DOUBLE_EQ(s.total_cv, std::sqrt(2.0) / 11);
  EXPECT_EQ(s.lost_samples, 7u);
  EXPECT_EQ(s.samples, 300u);
}

TEST(Summarize, AKernelThatARepeatLacksCountsAsZeroThere) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 10)};
  runs[0].kernels = {kernel("both", 3, 5, 50), kernel("once", 1, 3, 30)};
  runs[1].kernels = {kernel("both", 3, 5, 50)};
  const ConfigurationSummary s = summarize(pointers(runs));
  ASSERT_EQ(s.kernels.size(), 2u);
  EXPECT_EQ(s.kernels[0].name, "both");
  EXPECT_DOUBLE_EQ(s.kernels[0].time_s, 4);
  EXPECT_DOUBLE_EQ(s.kernels[0].share, 0.4);
  EXPECT_DOUBLE_EQ(s.kernels[0].max_over_mean, 1.25);  // 5 / 4
  EXPECT_DOUBLE_EQ(s.kernels[0].cv, 0);
  EXPECT_EQ(s.kernels[0].samples, 100u);
  EXPECT_DOUBLE_EQ(s.kernels[0].sampling_error, 0.1);  // 1 / sqrt(100)
  EXPECT_EQ(s.kernels[1].name, "once");
  EXPECT_DOUBLE_EQ(s.kernels[1].time_s, 1);           // (2 + 0) / 2
  EXPECT_DOUBLE_EQ(s.kernels[1].max_over_mean, 1.5);  // (3 + 0) / 2 / 1
  EXPECT_DOUBLE_EQ(s.kernels[1].cv, std::sqrt(2.0));  // 2 and 0: mean 1, deviation sqrt(2)
}

TEST(Summarize, KernelsOfOneNameInTwoFilesStayApartAndTiesGoByName) {
  std::vector<core::Run> runs = {run_of(0, 10)};
  Kernel here = kernel("init", 1, 1, 9), there = kernel("init", 1, 1, 9);
  here.file = "b.c";
  there.file = "a.c";
  runs[0].kernels = {kernel("zeta", 1, 1, 9), here, there, kernel("alpha", 2, 2, 9)};
  const ConfigurationSummary s = summarize(pointers(runs));
  ASSERT_EQ(s.kernels.size(), 4u);
  EXPECT_EQ(s.kernels[0].name, "alpha");
  EXPECT_EQ(s.kernels[1].file, "a.c");
  EXPECT_EQ(s.kernels[2].file, "b.c");
  EXPECT_EQ(s.kernels[3].name, "zeta");
}

TEST(Summarize, OperationsAreSummedOverRanksAndAveragedOverRepeats) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 10)};
  runs[0].operations = {operation("MPI_Send", 1, 3, 16)};
  runs[1].operations = {operation("MPI_Send", 1, 3, 9), operation("MPI_Wait", 4, 4, 100)};
  ConfigurationSummary s = summarize(pointers(runs));
  ASSERT_EQ(s.operations.size(), 2u);
  // Both have a mean time of 2 s: MPI_Send 2 and 2, MPI_Wait 0 and 4. The name decides.
  EXPECT_EQ(s.operations[0].operation, "MPI_Send");
  EXPECT_DOUBLE_EQ(s.operations[0].time_s, 2);
  EXPECT_DOUBLE_EQ(s.operations[0].calls, 30);
  EXPECT_DOUBLE_EQ(s.operations[0].bytes, 400);
  EXPECT_DOUBLE_EQ(s.operations[0].wall_s, 4);
  EXPECT_DOUBLE_EQ(s.operations[0].blocked_s, 1);
  EXPECT_DOUBLE_EQ(s.operations[0].sampling_error, 0.2);  // 1 / sqrt(16 + 9)
  EXPECT_DOUBLE_EQ(s.operations[1].calls, 15);            // 30 in one of two repeats
  // By the wall clock MPI is timed, not sampled.
  for (core::Run& run : runs) run.clock = Clock::kWall;
  s = summarize(pointers(runs));
  EXPECT_EQ(s.operations[0].sampling_error, 0);
}

TEST(Summarize, ARunOfNoTimeHasNoSharesAndNoImbalance) {
  std::vector<core::Run> runs = {run_of(0, 0)};
  runs[0].kernels = {kernel("idle", 0, 0, 0)};
  const ConfigurationSummary s = summarize(pointers(runs));
  EXPECT_EQ(s.imbalance, 0);
  EXPECT_EQ(s.kernels[0].share, 0);
  EXPECT_EQ(s.kernels[0].max_over_mean, 0);
  EXPECT_EQ(s.kernels[0].sampling_error, 0);
}

TEST(GroupByConfiguration, IsByNpThenParametersThenRepeat) {
  Profile profile;
  const auto add = [&profile](int np, double grid, int repeat, bool complete) {
    core::Run run = run_of(repeat, 1);
    run.np = np;
    run.parameters = {{"grid", grid}};
    run.complete = complete;
    profile.runs.push_back(run);
  };
  add(8, 32, 0, true);
  add(2, 64, 1, true);
  add(2, 64, 0, true);
  add(2, 32, 0, false);
  const auto complete = group_by_configuration(profile, true);
  ASSERT_EQ(complete.size(), 2u);
  ASSERT_EQ(complete[0].size(), 2u);
  EXPECT_EQ(complete[0][0], &profile.runs[2]);
  EXPECT_EQ(complete[0][1], &profile.runs[1]);
  EXPECT_EQ(complete[1][0], &profile.runs[0]);
  const auto all = group_by_configuration(profile, false);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0][0], &profile.runs[3]);
}

TEST(JudgeStability, FewerThanTwoRunsAreNeverStable) {
  const std::vector<core::Run> one = {run_of(0, 10)};
  EXPECT_FALSE(judge_stability(pointers(one)).stable);
  EXPECT_FALSE(judge_stability(pointers({})).stable);
}

TEST(JudgeStability, TheTotalHasToBeBelowTheTarget) {
  // 10 and 11: CV = sqrt(0.5) / 10.5 = 6.7 %; 10 and 10.5: sqrt(0.125) / 10.25 = 3.4 %.
  const std::vector<core::Run> far = {run_of(0, 10), run_of(1, 11)};
  EXPECT_FALSE(judge_stability(pointers(far)).stable);
  EXPECT_DOUBLE_EQ(judge_stability(pointers(far)).run_cv, std::sqrt(0.5) / 10.5);
  EXPECT_TRUE(judge_stability(pointers(far), {0.07, 0.01}).stable);
  const std::vector<core::Run> near = {run_of(0, 10), run_of(1, 10.5)};
  EXPECT_TRUE(judge_stability(pointers(near)).stable);
}

// 10 and 10 s, of which starting and ending took 1 and 4: the runs of 9 and 6 s vary by sqrt(4.5) / 7.5 = 28 %.
TEST(JudgeStability, StartAndEndAreNoPartOfTheRun) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 10)};
  runs[0].times.others_s.mean = 1;
  runs[1].times.others_s.mean = 4;
  EXPECT_FALSE(judge_stability(pointers(runs)).stable);
  EXPECT_DOUBLE_EQ(judge_stability(pointers(runs)).run_cv, std::sqrt(4.5) / 7.5);
}

TEST(JudgeStability, ANoisyKernelThatSamplingDoesNotExplainIsUnstable) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 10)};
  // 2 and 3 s: CV = sqrt(0.5) / 2.5 = 28 %; 5000 samples a run vary by 1 / sqrt(5000) = 1.4 %.
  runs[0].kernels = {kernel("noisy", 2, 2, 4000)};
  runs[1].kernels = {kernel("noisy", 3, 3, 6000)};
  const Stability s = judge_stability(pointers(runs));
  EXPECT_FALSE(s.stable);
  EXPECT_EQ(s.run_cv, 0);
  ASSERT_EQ(s.noisy.size(), 1u);
  EXPECT_EQ(s.noisy[0].name, "noisy");
  EXPECT_DOUBLE_EQ(s.noisy[0].share, 0.25);
  EXPECT_DOUBLE_EQ(s.noisy[0].cv, std::sqrt(0.5) / 2.5);
  EXPECT_DOUBLE_EQ(s.noisy[0].sampling_cv, 1 / std::sqrt(5000.0));
  EXPECT_FALSE(s.noisy[0].few_samples);
}

TEST(JudgeStability, VariationThatSamplingExplainsIsFlaggedButStable) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 10)};
  // CV 28 % as above; 50 samples a run vary by 1 / sqrt(50) = 14.1 %, and 28.28 % <= 2 x 14.14 %: the limit itself.
  // 49 on average would be just inside, 51 just outside.
  runs[0].kernels = {kernel("rare", 2, 2, 40)};
  runs[1].kernels = {kernel("rare", 3, 3, 58)};
  Stability s = judge_stability(pointers(runs));
  EXPECT_TRUE(s.stable);
  ASSERT_EQ(s.noisy.size(), 1u);
  EXPECT_TRUE(s.noisy[0].few_samples);
  runs[1].kernels[0].samples = 62;
  s = judge_stability(pointers(runs));
  EXPECT_FALSE(s.stable);
  EXPECT_FALSE(s.noisy[0].few_samples);
}

TEST(JudgeStability, SmallKernelsAreNotJudged) {
  std::vector<core::Run> runs = {run_of(0, 1000), run_of(1, 1000)};
  runs[0].kernels = {kernel("small", 2, 2, 4000)};  // 2.5 s of 1000 s
  runs[1].kernels = {kernel("small", 3, 3, 6000)};
  EXPECT_TRUE(judge_stability(pointers(runs)).stable);
  EXPECT_TRUE(judge_stability(pointers(runs)).noisy.empty());
  EXPECT_FALSE(judge_stability(pointers(runs), {0.05, 0.001}).stable);
}

TEST(JudgeStability, MpiOperationsAreKernelsTooAndTimedOnesHaveNoSamplingNoise) {
  std::vector<core::Run> runs = {run_of(0, 10), run_of(1, 10)};
  runs[0].operations = {operation("MPI_Allreduce", 2, 2, 5)};
  runs[1].operations = {operation("MPI_Allreduce", 3, 3, 5)};
  // By the CPU clock 5 samples a run explain 28 % (2 / sqrt(5) = 89 %); by the wall clock nothing does.
  EXPECT_TRUE(judge_stability(pointers(runs)).stable);
  for (core::Run& run : runs) run.clock = Clock::kWall;
  const Stability s = judge_stability(pointers(runs));
  EXPECT_FALSE(s.stable);
  ASSERT_EQ(s.noisy.size(), 1u);
  EXPECT_EQ(s.noisy[0].sampling_cv, 0);
}

Run run_that_warns(const std::string& id, const std::vector<std::string>& warnings) {
  Run run;
  run.id = id;
  run.warnings = warnings;
  return run;
}

TEST(GroupWarnings, PercentagesBecomeARange) {
  const std::vector<scalediag::core::Run> runs = {run_that_warns("a", {"off the CPU for 34 % of the time", "lost"}),
                                                  run_that_warns("b", {"lost", "off the CPU for 9.5 % of the time"}),
                                                  run_that_warns("c", {"off the CPU for 12 % of the time"})};
  const auto warnings = group_warnings(runs);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].text, "off the CPU for 9.5 to 34 % of the time");
  EXPECT_EQ(warnings[0].runs, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(warnings[1].text, "lost");
  EXPECT_EQ(warnings[1].runs, (std::vector<std::string>{"a", "b"}));
}

TEST(GroupWarnings, SoDoesACountAtTheBeginning) {
  const std::vector<scalediag::core::Run> runs = {run_that_warns("a", {"3 threads were not sampled"}),
                                                  run_that_warns("b", {"12 threads were not sampled"}),
                                                  run_that_warns("c", {"12 MPI calls could not be counted"})};
  const auto warnings = group_warnings(runs);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].text, "3 to 12 threads were not sampled");
  EXPECT_EQ(warnings[1].text, "12 MPI calls could not be counted");
}

// "rank 1 is in a.raw" and "rank 2 is in a.raw" are different warnings.
TEST(GroupWarnings, NamesStayApart) {
  const std::vector<scalediag::core::Run> runs = {run_that_warns("a", {"rank 1 is in rank1.raw", "33"}),
                                                  run_that_warns("b", {"rank 2 is in rank1.raw", "33"})};
  const auto warnings = group_warnings(runs);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].text, "rank 1 is in rank1.raw");
  EXPECT_EQ(warnings[1].text, "33");
  EXPECT_EQ(warnings[2].text, "rank 2 is in rank1.raw");
  EXPECT_TRUE(group_warnings({}).empty());
}

}  // namespace
}  // namespace scalediag::core
