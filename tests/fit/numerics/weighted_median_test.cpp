#include "fit/numerics/weighted_median.h"

#include <gtest/gtest.h>

#include <array>

#include "fit/numerics/normal_quantile.h"

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

TEST(NormalQuantile, IsWhatTablesSay) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.95), 1.6448536, 1e-6);
  EXPECT_NEAR(normal_quantile(0.975), 1.9599640, 1e-6);
  EXPECT_NEAR(normal_quantile(0.9995), 3.2905267, 1e-6);
}

}  // namespace
}  // namespace scalediag::fit
