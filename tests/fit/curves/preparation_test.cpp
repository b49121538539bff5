#include "fit/curves/preparation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace scalediag::fit {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Series series(std::vector<Observation> observations) { return {{"p"}, "time_s", "f", std::move(observations)}; }

bool has_note(const std::vector<std::string>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& n) { return n.find(part) != n.npos; });
}

TEST(Prepare, RepeatsBecomeTheirMedianWhereverTheyStand) {
  const Prepared p = prepare(series({{{4}, {3, 100}}, {{2}, {5, 7}}, {{4}, {1}}}));
  ASSERT_EQ(p.points.size(), 2u);
  EXPECT_EQ(p.points[0].at, std::vector<double>{2});
  EXPECT_EQ(p.points[0].value, 6);  // of an even number: the mean of the two in the middle
  EXPECT_EQ(p.points[1].value, 3);  // of 1, 3, 100
  EXPECT_EQ(p.points[1].repeats, 3);
  EXPECT_EQ(p.values, 5);
}

TEST(Prepare, LeavesOutWhatIsNoMeasurementAndSaysSo) {
  const Prepared p =
      prepare(series({{{2}, {kNotANumber, 1, -1, kInfinite}}, {{-4}, {1}}, {{kNotANumber}, {1}}, {{1, 2}, {1}}}));
  ASSERT_EQ(p.points.size(), 1u);
  EXPECT_EQ(p.values, 1);
  EXPECT_TRUE(has_note(p.notes, "3 values are not a number, infinite or negative: left out"));
  EXPECT_TRUE(has_note(p.notes, "3 configurations have parameters that are not positive numbers: left out"));
}

TEST(Prepare, ZerosAmongPositiveValuesAreHalfTheSmallest) {
  const Prepared p = prepare(series({{{2}, {0}}, {{4}, {0.5}}, {{8}, {2}}}));
  ASSERT_EQ(p.points.size(), 3u);
  EXPECT_EQ(p.points[0].value, 0.25);
  EXPECT_TRUE(has_note(p.notes, "1 configuration measured as 0"));
  EXPECT_FALSE(p.all_zero);
}

TEST(Prepare, ZerosBeforeTheFirstValueAreLeftOut) {
  const Prepared p = prepare(series({{{1}, {0, 0}}, {{2}, {4}}, {{4}, {16}}, {{8}, {0}}, {{16}, {256}}}));
  ASSERT_EQ(p.points.size(), 4u);
  EXPECT_EQ(p.points[0].at, std::vector<double>{2});
  EXPECT_EQ(p.points[2].value, 2);  // a zero after positive values
  EXPECT_EQ(p.values, 4);
  EXPECT_TRUE(has_note(p.notes, "1 configuration measured as 0 before the first positive value: left out"));
  EXPECT_TRUE(has_note(p.notes, "1 configuration measured as 0 among positive ones"));
}

TEST(Prepare, OfTwoParametersAZeroIsBeforeTheOthersWhereNoPositiveOneIsBelowItInBoth) {
  Series grid{{"p", "n"}, "time_s", "f", {}};
  for (const double n : {1, 2, 4}) {
    for (const double at : {1, 2, 4, 8}) grid.observations.push_back({{at, n}, {at == 1 ? 0 : n * at * at}});
  }
  EXPECT_EQ(prepare(grid).points.size(), 9u);
  grid.observations.back().values = {0};  // at p = 8, n = 4: below what the clock resolves
  const Prepared p = prepare(grid);
  ASSERT_EQ(p.points.size(), 9u);
  EXPECT_EQ(p.points.back().value, 2);  // half of 4, measured at p = 2, n = 1
}

TEST(Prepare, AllZeroIsToldApartFromNothing) {
  EXPECT_TRUE(prepare(series({{{2}, {0}}, {{4}, {0, 0}}})).all_zero);
  EXPECT_FALSE(prepare(series({})).all_zero);
  EXPECT_TRUE(prepare(series({})).points.empty());
}

TEST(Prepare, NoiseIsTheTypicalDeviationOfRepeats) {
  // 9, 10, 11: standard deviation 1 around 10. 99, 100, 101: 0.01. 196, 200, 204: 0.02. The median is 0.02.
  const Prepared p = prepare(series({{{2}, {9, 10, 11}}, {{4}, {99, 100, 101}}, {{8}, {196, 200, 204}}, {{16}, {1}}}));
  EXPECT_NEAR(p.noise, 0.02, 1e-12);
}

TEST(Prepare, NoisyPointsWeighLess) {
  const Prepared p = prepare(series({{{2}, {5, 10, 15}}, {{4}, {99, 100, 101}}, {{8}, {100, 100, 100}}}));
  EXPECT_LT(p.points[0].weight, 0.1);
  EXPECT_GT(p.points[1].weight, 0.8);
  EXPECT_GT(p.points[2].weight, p.points[1].weight);
  EXPECT_LE(p.points[2].weight, 1);
}

}  // namespace
}  // namespace scalediag::fit
