// Published weights of NPB BT's phases, class E: Panadero et al., IEEE TPDS 29(3), 2018, table 3.
#include "loggp/phases/equations/value_hypothesis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "loggp/phases/equations/value_candidates.h"

namespace scalediag::loggp {
namespace {

// One rank of each scale: all have the same weight.
std::vector<ValueSample> weights(double on_256, double on_324, double on_484) {
  return {{256, 0, on_256}, {324, 0, on_324}, {484, 0, on_484}};
}

// Phases 0, 1, 3, 4 and 5 are 1001 (sqrt P - 1): once for each of 1001 steps and each cell but one. Phase 6 is
// constant.
TEST(WeightsOfBt, AreExactForSixPhases) {
  const struct {
    int ranks;
    double weight;
  } published[] = {{1024, 31031}, {2025, 44044}, {4096, 63063}};
  for (const auto& [ranks, weight] : published) {
    const auto candidates = value_candidates(weights(15015, 17017, 21021), core::GridKind::kPlaneFalling, ranks);
    ASSERT_FALSE(candidates.empty());
    EXPECT_NEAR(candidates.front().hypothesis.at(ranks, 0), weight, 1e-6) << candidates.front().hypothesis.formula();
    const auto constant = value_candidates(weights(999, 999, 999), core::GridKind::kPlaneFalling, ranks);
    ASSERT_FALSE(constant.empty());
    EXPECT_EQ(constant.front().hypothesis.at(ranks, 0), 999);
  }
}

// Phase 2 has 15013 on 256 ranks, 2 less than the others, and the published prediction is that of the others.
TEST(WeightsOfBt, AreALineInTheSideOfTheGridWhereNoEquationMeetsThem) {
  const std::vector<ValueSample> phase_2 = weights(15013, 17017, 21021);
  EXPECT_TRUE(value_candidates(phase_2, core::GridKind::kPlaneFalling, 4096).empty());
  const ValueHypothesis line = regression_hypothesis(phase_2);
  EXPECT_FALSE(line.exact);
  for (const auto& [ranks, weight] : {std::pair{1024, 31031.0}, {2025, 44044.0}, {4096, 63063.0}}) {
    EXPECT_NEAR(line.at(ranks, 0), weight, 2e-4 * weight) << line.formula();
  }
}

std::vector<ValueSample> at_2_to_16(double (*value)(double)) {
  std::vector<ValueSample> samples;
  for (const int ranks : {2, 4, 8, 16}) samples.push_back({ranks, 0, value(ranks)});
  return samples;
}

// 3 ms that every rank repeats and 80 ms that all share: 4.25 ms on 64 ranks and 3.08 on 1024, where a power through the
// same values has 2.5 and 0.27.
TEST(DividedHypothesis, KeepsWhatEveryRankRepeats) {
  const auto samples = at_2_to_16([](double p) { return 3 + 80 / p; });
  EXPECT_NEAR(divided_hypothesis(samples, 1).at(64, 0), 3 + 80.0 / 64, 1e-9);
  EXPECT_NEAR(divided_hypothesis(samples, 1).at(1024, 0), 3 + 80.0 / 1024, 1e-9);
}

TEST(DividedHypothesis, NeitherPartIsNegative) {
  // Shrinks faster than its work: as 1/P from the largest scale on.
  const auto cached = at_2_to_16([](double p) { return 100 * std::pow(p, -1.5); });
  EXPECT_NEAR(divided_hypothesis(cached, 1).at(64, 0), 100 * std::pow(16, -1.5) / 4, 1e-9);
  // Grows: a power, up to the largest that is allowed, which goes through the mean of the largest scale.
  const auto grows = at_2_to_16([](double p) { return std::sqrt(p); });
  EXPECT_NEAR(divided_hypothesis(grows, 1).at(64, 0), 8, 1e-9);
  EXPECT_NEAR(divided_hypothesis(grows, 0.25).at(256, 0), 4 * 2, 1e-9);
}

TEST(DividedHypothesis, OneScaleOrNothingComputedIsTheirMean) {
  EXPECT_EQ(divided_hypothesis({{4, 0, 6}, {4, 1, 10}}, 1).at(64, 0), 8);
  EXPECT_EQ(divided_hypothesis({{2, 0, 6}, {4, 0, 0}}, 1).at(64, 0), 3);
}

// 100 P^0.37 on 4, 9 and 16 ranks is no line in any term within 0.1 %; two scales have no line of their own.
TEST(RegressionHypothesis, IsAPowerWhereNoLineComesClose) {
  std::vector<ValueSample> samples;
  for (const int ranks : {4, 9, 16}) samples.push_back({ranks, 0, 100 * std::pow(ranks, 0.37)});
  EXPECT_NEAR(regression_hypothesis(samples).at(64, 0), 100 * std::pow(64, 0.37), 1e-6);
  samples.pop_back();
  EXPECT_TRUE(regression_hypothesis(samples).terms.empty());
}

// 66 elements along 65 cells: the first has 2, the others 1. So of a rank's 65 cells those faces are of 2 elements of
// which one side is first, and of 4 where both are.
TEST(ValueHypothesis, FacesOfCellsOfManyRanks) {
  using Which = ValueHypothesis::Cells::Which;
  constexpr int kSide = 65;
  const auto rank = [](int x, int y) { return x + kSide * y; };
  ValueHypothesis hypothesis;
  hypothesis.cells = {Which::kAllButLast, 0, {1, -1}, 0, 1, false, 66, 1};
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(0, 0)), 4 + 64 - 1);       // without c = 64, of 1
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(0, 3)), 2 + 2 + 63 - 1);   // without c = 64, of 1
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(64, 3)), 2 + 2 + 63 - 2);  // without c = 0, of 2
  hypothesis.cells->axis = 1;
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(3, 64)), 2 + 2 + 63 - 2);  // without c = 0, of 2
  hypothesis.cells->axis = 2;
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(0, 0)), 4 + 64 - 1);      // without c = 64, (64, 1)
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(1, 3)), 2 + 2 + 63 - 2);  // without c = 64, (0, 4)
  hypothesis.cells->which = Which::kAllButFirst;
  EXPECT_EQ(hypothesis.at(kSide * kSide, rank(1, 3)), 2 + 2 + 63 - 1);  // without c = 0, (1, 3)
}

// Rank (1, 0) of 3 x 3, whose cells of 7 elements along a side are 3, 2 and 2: its cells are (1, 0, 0), (2, 2, 1) and
// (0, 1, 2). Across the first axis faces are 3 x 3, 2 x 2 and 2 x 2; the second cell is in the last layer, the third
// one in the first. Without the border the sides are 2, 2 and 1: the faces are 2 x 2, 1 x 2 and 2 x 1.
TEST(ValueHypothesis, FacesOfCells) {
  using Which = ValueHypothesis::Cells::Which;
  ValueHypothesis hypothesis;
  hypothesis.cells = {Which::kAllButLast, 0, {1, -1}, 0, 1, false, 7, 8};
  EXPECT_EQ(hypothesis.at(9, 1), 8 * (9 + 4));
  hypothesis.cells->which = Which::kAllButFirst;
  EXPECT_EQ(hypothesis.at(9, 1), 8 * (9 + 4));
  hypothesis.cells->axis = 2;  // faces of 2 x 3, 2 x 2 and 3 x 2 in layers 0, 1 and 2
  EXPECT_EQ(hypothesis.at(9, 1), 8 * (4 + 6));
  hypothesis.cells = {Which::kOfRound, 0, {1, -1}, 1, -1, true, 7, 8};  // layers 1, 0 and 2
  EXPECT_EQ(hypothesis.at(9, 1, 0), 8 * 4);
  EXPECT_EQ(hypothesis.at(9, 1, 1), 8 * 2);
  EXPECT_EQ(hypothesis.at(9, 1, 2), 8 * 2);
}

}  // namespace
}  // namespace scalediag::loggp
