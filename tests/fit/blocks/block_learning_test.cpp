#include "fit/blocks/block_learning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace scalediag::fit {
namespace {

// Executions of a block with the attributes n (1 to 100) and other, which has no influence.
template <class Value>
BlockSamples block_of(size_t executions, Value value) {
  BlockSamples samples;
  samples.name = "block";
  samples.attributes = {"n", "other"};
  std::mt19937 random(7);
  for (size_t i = 0; i < executions; ++i) {
    const auto n = static_cast<double>(random() % 100 + 1);
    samples.rows.push_back({n, static_cast<double>(random() % 1000)});
    samples.values.push_back(value(n, random));
    samples.total_of_program += 2 * samples.values.back();
  }
  return samples;
}

// The block of Table I of Zheng et al.: work that goes as the cube of n.
double cubic(double n) { return 0.009 * n * n * n + 0.05 * n * n + 20; }

TEST(BlockLearning, EachMethodFindsACubeAndGoesOnBeyondIt) {
  const BlockSamples samples = block_of(200, [](double n, std::mt19937&) { return cubic(n); });
  // Largest errors of the paper's Table I, and of the same models on n up to 200.
  const std::pair<BlockMethod, std::pair<double, double>> asked[] = {
      {BlockMethod::kLinearRegression, {0.039, 0.039}},
      {BlockMethod::kLeastMedianOfSquares, {0.030, 0.032}},
      {BlockMethod::kLinearSupportVectors, {0.003, 0.0025}}};
  for (const auto& [method, errors] : asked) {
    const auto model = learn_block(samples, {method});
    ASSERT_TRUE(model.ok()) << name_of(method);
    EXPECT_EQ(model.value().method, method);
    EXPECT_LE(model.value().held_out_error.value(), errors.first) << name_of(method);
    ASSERT_EQ(model.value().attributes.size(), 1U) << model.value().formula();
    EXPECT_EQ(model.value().attributes.front().name, "n");
    std::vector<double> predicted, actual;
    for (int n = 1; n <= 200; ++n) {
      const BlockEstimate estimate = model.value().estimate({static_cast<double>(n)});
      predicted.push_back(estimate.value);
      actual.push_back(cubic(n));
      EXPECT_EQ(estimate.is_outside, n > 100);
      // By the range that was learnt from, 1 to 100.
      const double beyond = std::max(0, n - 100) / 99.0;
      EXPECT_NEAR(estimate.beyond, beyond, 1e-9);
    }
    EXPECT_LE(relative_mean_error(predicted, actual).value(), errors.second) << name_of(method);
  }
}

TEST(BlockLearning, DisturbedExecutionsDoNotMoveTheLeastMedianOfSquares) {
  // Every tenth execution takes ten times as long.
  const BlockSamples samples =
      block_of(300, [](double n, std::mt19937& random) { return (2 * n + 5) * (random() % 10 == 0 ? 10 : 1); });
  const auto model = learn_block(samples, {BlockMethod::kLeastMedianOfSquares});
  ASSERT_TRUE(model.ok());
  for (const double n : {10.0, 90.0}) {
    std::vector<double> row;
    for (const auto& attribute : model.value().attributes) row.push_back(attribute.name == "n" ? n : 500);
    EXPECT_NEAR(model.value().estimate(row).value, 2 * n + 5, 0.01 * (2 * n + 5));
  }
}

TEST(BlockLearning, TheSimplestMethodThatDoesIsTaken) {
  const auto constant = learn_block(block_of(60, [](double, std::mt19937&) { return 3.0; }));
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ(constant.value().method, BlockMethod::kMean);
  EXPECT_EQ(constant.value().formula(), "3");
  EXPECT_DOUBLE_EQ(constant.value().share, 0.5);

  const auto line = learn_block(block_of(60, [](double n, std::mt19937&) { return 3 * n + 1; }));
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line.value().method, BlockMethod::kLinearRegression);
  EXPECT_EQ(line.value().formula(), "3 n + 1");
  // From n = 1 to n = 100 the time grows by 297, the mean is near 150.
  EXPECT_NEAR(line.value().attributes.front().effect, 297 / line.value().mean, 0.03);
}

TEST(BlockLearning, AStepIsLearntByRadialFunctions) {
  const BlockSamples samples = block_of(200, [](double n, std::mt19937&) { return n < 50 ? 1.0 : 9.0; });
  BlockSamples one = samples;
  one.attributes.pop_back();
  for (auto& row : one.rows) row.pop_back();
  const auto model = learn_block(one);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().method, BlockMethod::kRadialSupportVectors);
  EXPECT_NEAR(model.value().estimate({20}).value, 1, 0.5);
  EXPECT_NEAR(model.value().estimate({80}).value, 9, 0.5);
}

TEST(BlockLearning, TheIntervalHoldsMostExecutions) {
  // Values deviate by up to 10 %, evenly: 5 % lie more than 9 % below.
  const BlockSamples samples = block_of(3000, [](double n, std::mt19937& random) {
    return n * (0.9 + 0.2 * static_cast<double>(random() % 10001) / 10000);
  });
  const auto model = learn_block(samples, {BlockMethod::kLinearRegression});
  ASSERT_TRUE(model.ok());
  ASSERT_TRUE(model.value().deviations);
  EXPECT_NEAR(model.value().deviations->low, -0.09, 0.02);
  EXPECT_NEAR(model.value().deviations->high, 0.09, 0.02);
}

// Of n executions that are held out, the k-th smallest and k-th largest deviation hold a further one with a probability
// of 1 - 2 k / (n + 1) if its distribution is continuous: 90 % for n = 19, k = 1, which is a third of 57 executions.
// The mean of 400 blocks, each with 100 further executions, has a standard deviation below 0.5 %: that of one block, 7
// % (a beta distribution with the parameters 18 and 2 has sqrt(18 * 2 / (20^2 * 21)) = 6.5 %), by 20.
TEST(BlockLearning, TheIntervalHoldsNinetyPercentWhereNineteenAreHeldOut) {
  std::mt19937 random(11);
  const auto value = [&random] { return 1 + static_cast<double>(random() % 1'000'003) / 1e6; };
  constexpr int kBlocks = 400, kFurther = 100;
  int held = 0;
  for (int block = 0; block < kBlocks; ++block) {
    BlockSamples samples;
    for (int i = 0; i < 57; ++i) {
      samples.rows.emplace_back();
      samples.values.push_back(value());
    }
    const auto model = learn_block(samples, {BlockMethod::kMean});
    ASSERT_TRUE(model.ok());
    const auto interval = model.value().estimate({}).interval;
    ASSERT_TRUE(interval);
    for (int i = 0; i < kFurther; ++i) {
      const double further = value();
      held += interval->low <= further && further <= interval->high ? 1 : 0;
    }
  }
  EXPECT_NEAR(held / static_cast<double>(kBlocks * kFurther), 0.9, 0.015);
}

TEST(BlockLearning, ThereIsNoIntervalWhereFewerThanNineteenAreHeldOut) {
  for (const size_t executions : {kFewestExecutions, size_t{56}, size_t{57}}) {
    const auto model = learn_block(block_of(executions, [](double n, std::mt19937&) { return n; }));
    ASSERT_TRUE(model.ok());
    EXPECT_EQ(model.value().deviations.has_value(), executions / 3 >= 19) << executions;
    EXPECT_EQ(model.value().estimate({5}).interval.has_value(), executions / 3 >= 19) << executions;
  }
}

// Four executions of five take no time, and so does the median of all. No factor leads from that to the fifth.
TEST(BlockLearning, ThereIsNoIntervalAroundNothing) {
  const BlockSamples samples =
      block_of(300, [](double, std::mt19937& random) { return random() % 5 == 0 ? 7.0 : 0.0; });
  const auto model = learn_block(samples, {BlockMethod::kLeastMedianOfSquares});
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().estimate({}).value, 0) << model.value().formula();
  EXPECT_FALSE(model.value().deviations);
}

// Radial functions are fitted to 300 executions, lines to 20,000: ranges are those of these. A value of n that stands
// once among 24,000 executions is not among the 300, or not among the 20,000, for one of three rows at least.
TEST(BlockLearning, RangesAreThoseOfTheExecutionsThatWereUsed) {
  EXPECT_EQ(most_executions(BlockMethod::kRadialSupportVectors), 300U);
  EXPECT_EQ(most_executions(BlockMethod::kLinearRegression), 20'000U);
  constexpr size_t kMany = 24'000;
  int within = 0;
  for (const size_t row : {size_t{0}, kMany / 2, kMany - 1}) {
    BlockSamples samples = block_of(kMany, [](double n, std::mt19937&) { return n; });
    samples.rows[row][0] = samples.values[row] = 500;
    const auto vectors = learn_block(samples, {BlockMethod::kLinearSupportVectors});
    ASSERT_TRUE(vectors.ok());
    EXPECT_EQ(vectors.value().executions, kMany);
    EXPECT_EQ(vectors.value().fitted_executions, 300U);
    ASSERT_EQ(vectors.value().attributes.size(), 1U);
    within += vectors.value().attributes.front().most == 500 ? 1 : 0;
    const auto line = learn_block(samples, {BlockMethod::kLinearRegression});
    ASSERT_TRUE(line.ok());
    EXPECT_EQ(line.value().fitted_executions, 20'000U);
  }
  // Each is among the 300 with a probability of 1.25 %.
  EXPECT_EQ(within, 0);
}

// Only one of six ranks takes any time, and two of the six are held out: for four of them these took none.
TEST(BlockLearning, AnErrorThatHasNoMeasureIsUnknown) {
  int unknown = 0;
  for (int busy = 0; busy < 6; ++busy) {
    BlockSamples samples;
    for (int i = 0; i < 120; ++i) {
      samples.rows.emplace_back();
      samples.ranks.push_back(i % 6);
      samples.values.push_back(i % 6 == busy ? 3 : 0);
    }
    const auto model = learn_block(samples);
    ASSERT_TRUE(model.ok());
    unknown += model.value().held_out_error ? 0 : 1;
  }
  EXPECT_EQ(unknown, 4);
}

// Ranks take times of their own, which no attribute but the place of each tells: of other ranks it tells nothing.
TEST(BlockLearning, WhatOnlyTellsRanksApartIsNoModel) {
  const double of_rank[] = {100, 140, 95, 150, 90, 130, 105, 145};
  BlockSamples samples;
  samples.attributes = {"rank_x"};
  std::mt19937 random(7);
  for (int rank = 0; rank < 8; ++rank) {
    for (int i = 0; i < 30; ++i) {
      samples.rows.push_back({static_cast<double>(rank)});
      samples.values.push_back(of_rank[rank] + static_cast<double>(random() % 5));
      samples.ranks.push_back(rank);
    }
  }
  const auto model = learn_block(samples);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().method, BlockMethod::kMean);
  samples.ranks.clear();
  const auto seen = learn_block(samples);
  ASSERT_TRUE(seen.ok());
  EXPECT_NE(seen.value().method, BlockMethod::kMean);
}

// m is n but for a thousandth: either tells all.
TEST(BlockLearning, OneOfTwoAttributesThatTellTheSameIsTaken) {
  BlockSamples samples = block_of(200, [](double n, std::mt19937& random) {
    return n * (0.9 + 0.2 * static_cast<double>(random() % 10001) / 10000);
  });
  std::mt19937 random(9);
  for (auto& row : samples.rows) row[1] = row[0] * (1 + 1e-5 * static_cast<double>(random() % 100));
  const auto model = learn_block(samples, {BlockMethod::kLinearRegression});
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.value().attributes.size(), 1U) << model.value().formula();
}

// The place of the rank follows n, and would do as well.
TEST(BlockLearning, AttributesOfALaterStageAreTakenOnlyWhereTheyTellMore) {
  BlockSamples samples = block_of(200, [](double n, std::mt19937&) { return 3 * n + 1; });
  samples.attributes = {"n", "rank_x"};
  samples.stages = {0, 2};
  for (auto& row : samples.rows) row[1] = row[0] + static_cast<double>(static_cast<int>(row[1]) % 3);
  const auto named = learn_block(samples);
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named.value().formula(), "3 n + 1");
  samples.stages = {2, 0};
  const auto both = learn_block(samples);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both.value().attributes.size(), 1U);
}

TEST(BlockLearning, TooFewExecutionsAndWrongTimesAreErrors) {
  const auto few = learn_block(block_of(kFewestExecutions - 1, [](double n, std::mt19937&) { return n; }));
  ASSERT_FALSE(few.ok());
  EXPECT_NE(few.error().message.find("11 times"), std::string::npos) << few.error().message;
  const auto negative = learn_block(block_of(60, [](double, std::mt19937&) { return -1.0; }));
  ASSERT_FALSE(negative.ok());
  EXPECT_EQ(negative.error().message, "block block has an execution of -1, which is neither a time nor a count");
  EXPECT_FALSE(negative.error().hint.empty());
}

TEST(BlockLearning, MethodsAreKnownByTheirNames) {
  const std::vector<std::string> names = block_method_names();
  EXPECT_EQ(names.size(), 5U);
  for (const std::string& name : names) {
    const auto method = block_method(name);
    ASSERT_TRUE(method) << name;
    EXPECT_EQ(name_of(*method), name);
    EXPECT_GT(most_executions(*method), 0U) << name;
  }
  EXPECT_FALSE(block_method("guessing"));
}

TEST(BlockLearning, ConstantAttributesAreLeftOut) {
  BlockSamples samples = block_of(60, [](double n, std::mt19937&) { return n; });
  for (auto& row : samples.rows) row[1] = 4;
  const auto model = learn_block(samples);
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model.value().attributes.size(), 1U);
  EXPECT_EQ(model.value().attributes.front().name, "n");
}

}  // namespace
}  // namespace scalediag::fit
