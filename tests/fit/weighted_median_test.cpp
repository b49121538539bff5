#include "fit/weighted_median.h"

#include <gtest/gtest.h>

#include <array>

namespace scalediag::fit {
namespace {

TEST(WeightedQuantile, IsTheSmallestValueBelowWhichTheShareLies) {
  // In order 1, 2, 3, 10 with weights 1, 1, 1, 3: half of 6 is reached at 3, two thirds at 10.
  std::array<Weighted, 4> items = {{{10, 3}, {1, 1}, {3, 1}, {2, 1}}};
  EXPECT_EQ(weighted_quantile(items, 0.5), 3);
  EXPECT_EQ(weighted_quantile(items, 2.0 / 3), 10);
  EXPECT_EQ(weighted_quantile(items, 0.0), 1);
  EXPECT_EQ(weighted_quantile(items, 1.0), 10);
}

TEST(WeightedQuantile, OneItemWithoutWeightIsStillAnAnswer) {
  std::array<Weighted, 1> items = {{{7, 0}}};
  EXPECT_EQ(weighted_quantile(items, 0.5), 7);
}

}  // namespace
}  // namespace scalediag::fit
