#include "fit/application/interval_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace scalediag::fit {
namespace {

TEST(IntervalSum, LiesBetweenCommonAndIndependentErrors) {
  const std::array<Estimate, 2> parts = {Estimate{10, 9, 13}, Estimate{20, 19, 24}};
  const Estimate sum = sum_of(parts, 0.9);
  EXPECT_DOUBLE_EQ(sum.value, 30);
  // Below: half widths 1 and 1: sqrt((2^2 + 2) / 2) = sqrt(3). Above: 3 and 4: sqrt((49 + 25) / 2).
  EXPECT_NEAR(sum.low, 30 - std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(sum.high, 30 + std::sqrt(37.0), 1e-12);
}

TEST(IntervalSum, ProductsAddRelativeErrorsInSquares) {
  // exp(0.3) and exp(0.4) above 1: exp(0.5).
  const std::array<Estimate, 2> factors = {Estimate{2, 2 * std::exp(-0.3), 2 * std::exp(0.3)},
                                           Estimate{5, 5 * std::exp(-0.4), 5 * std::exp(0.4)}};
  const Estimate product = product_of(factors, 0.9);
  EXPECT_NEAR(product.value, 10, 1e-12);
  EXPECT_NEAR(product.high, 10 * std::exp(0.5), 1e-9);
  EXPECT_NEAR(product.low, 10 * std::exp(-0.5), 1e-9);
}

TEST(IntervalSum, WideningGoesAsManyTimesDownAsUp) {
  // Up to three times as long, and down to a third: 10 - 2 x 10 would be negative.
  const Estimate wide = widened({10, 9, 11}, 2);
  EXPECT_DOUBLE_EQ(wide.value, 10);
  EXPECT_DOUBLE_EQ(wide.low, 10.0 / 3);
  EXPECT_DOUBLE_EQ(wide.high, 30);
  // Wide enough already: 10 / 1.05 is above 9, 10.5 below 11.
  const Estimate kept = widened({10, 9, 11}, 0.05);
  EXPECT_DOUBLE_EQ(kept.low, 9);
  EXPECT_DOUBLE_EQ(kept.high, 11);
}

}  // namespace
}  // namespace scalediag::fit
