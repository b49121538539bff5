#include "core/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace scalediag::core {
namespace {

TEST(Statistics, MeanOfNothingIsZero) { EXPECT_EQ(mean({}), 0); }

TEST(Statistics, DeviationDividesByNMinusOne) {
  // Mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7.
  const std::array<double, 8> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(coefficient_of_variation(values), std::sqrt(32.0 / 7) / 5);
}

TEST(Statistics, OneValueDoesNotVary) {
  const std::array<double, 1> one = {3};
  EXPECT_EQ(standard_deviation(one), 0);
  EXPECT_EQ(coefficient_of_variation(one), 0);
}

TEST(Statistics, VariationAroundZeroIsNotDefinedAndZero) {
  const std::array<double, 2> values = {-1, 1};
  EXPECT_EQ(coefficient_of_variation(values), 0);
}

TEST(Statistics, KeepsSmallDifferencesOfLargeValues) {
  // Deviations -1, 0, 1 around 1e9: standard deviation 1. sum(x^2) - n mean^2 would cancel to noise.
  const std::array<double, 3> values = {1e9 - 1, 1e9, 1e9 + 1};
  EXPECT_DOUBLE_EQ(standard_deviation(values), 1);
}

}  // namespace
}  // namespace scalediag::core
