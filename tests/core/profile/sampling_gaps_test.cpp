#include "core/profile/sampling_gaps.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

// A run of 1 s in which `function` takes `share` of it with `samples`.
Run run_of(int np, int repeat, const std::string& function, double share, uint64_t samples) {
  Run run;
  run.np = np;
  run.repeat = repeat;
  run.times.total_s.mean = 1;
  Kernel kernel;
  kernel.name = function;
  kernel.kind = KernelKind::kFunction;
  kernel.samples = samples;
  kernel.metrics["time_s"].mean = share;
  run.kernels.push_back(kernel);
  return run;
}

TEST(HasEnoughSamples, TheTwoLargestOfSeveralScalesAreEnough) {
  const std::vector<std::vector<double>> three = {{2}, {4}, {8}};
  EXPECT_TRUE(has_enough_samples({0, 10, 10}, three));
  EXPECT_FALSE(has_enough_samples({100, 10, 9}, three));
  EXPECT_FALSE(has_enough_samples({9, 10}, {{2}, {4}}));
  EXPECT_TRUE(has_enough_samples({10, 10}, {{2}, {4}}));
}

TEST(HasEnoughSamples, WithAParameterTwoValuesOfEachAreNeeded) {
  const std::vector<std::vector<double>> grid = {{2, 64}, {2, 128}, {4, 64}, {4, 128}};
  EXPECT_TRUE(has_enough_samples({10, 0, 0, 10}, grid));
  EXPECT_FALSE(has_enough_samples({10, 10, 0, 0}, grid));  // one number of processes
  EXPECT_FALSE(has_enough_samples({10, 0, 10, 0}, grid));  // one grid
}

TEST(SamplingGaps, SayHowManyRepeatsAreMissingWhere) {
  // np=2 has enough; 2 repeats at np=4 have 2 and 2 samples: 6 more are 3 repeats of 2.
  const std::vector runs = {run_of(2, 0, "f", 0.5, 40), run_of(4, 0, "f", 0.25, 2), run_of(4, 1, "f", 0.35, 2)};
  const auto gaps = sampling_gaps(runs);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].repeats, 0);
  EXPECT_DOUBLE_EQ(gaps[0].share, 0.5);
  EXPECT_EQ(gaps[1].np, 4);
  EXPECT_EQ(gaps[1].fewest_repeats, 3);
  EXPECT_EQ(gaps[1].repeats, 3);
  EXPECT_DOUBLE_EQ(gaps[1].share, 0.3);
  EXPECT_EQ(gaps[1].functions, std::vector<std::string>{"f"});
}

TEST(SamplingGaps, OfSeveralScalesTheTwoLargestAreRepeated) {
  const auto gaps = sampling_gaps(std::vector{run_of(2, 0, "f", 0.02, 5), run_of(4, 0, "f", 0.02, 5),
                                              run_of(8, 0, "f", 0.009, 5), run_of(16, 0, "f", 0.02, 50)});
  const std::vector<int> repeats = {gaps[0].repeats, gaps[1].repeats, gaps[2].repeats, gaps[3].repeats};
  EXPECT_EQ(repeats, (std::vector<int>{0, 0, 1, 0}));
  EXPECT_EQ(gaps[2].share, 0);  // below 1 % there
}

TEST(SamplingGaps, NothingIsSaidOfSmallOrDecidedFunctions) {
  for (const auto& [share, samples] : {std::pair(0.005, 1), std::pair(0.5, 10)}) {
    const auto gaps = sampling_gaps(std::vector{run_of(2, 0, "f", share, static_cast<uint64_t>(samples))});
    ASSERT_EQ(gaps.size(), 1u);
    EXPECT_EQ(gaps[0].share, 0);
    EXPECT_EQ(gaps[0].repeats, 0);
  }
}

TEST(SamplingGaps, TheFirstFunctionAndAllOfThem) {
  core::Run run = run_of(2, 0, "f", 0.5, 5);                    // one more repeat
  run.kernels.push_back(run_of(2, 0, "g", 0.1, 1).kernels[0]);  // nine more
  const auto gaps = sampling_gaps(std::vector{run});
  EXPECT_EQ(gaps[0].fewest_repeats, 1);
  EXPECT_EQ(gaps[0].repeats, 9);
  EXPECT_EQ(gaps[0].functions, (std::vector<std::string>{"f", "g"}));
}

}  // namespace
}  // namespace scalediag::core
