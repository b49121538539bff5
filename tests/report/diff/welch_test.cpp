#include "report/diff/welch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalediag::report {
namespace {

TEST(Welch, AgreesWithAWorkedExample) {
  // a = 1, 2, 3, 4 (mean 2.5, variance 5/3) and b = 4, 6, 8 (mean 6, variance 4):
  //   s^2 = 5/12 + 4/3 = 1.75, t = 3.5 / sqrt(1.75) = 2.6458,
  //   degrees = 1.75^2 / ((5/12)^2 / 3 + (4/3)^2 / 2) = 3.0625 / 0.94676 = 3.2347.
  const std::vector<double> a = {1, 2, 3, 4}, b = {4, 6, 8};
  const auto d = welch_difference(a, b, 0, 0, 0, 0.95);
  ASSERT_TRUE(d);
  EXPECT_DOUBLE_EQ(d->value, 3.5);
  EXPECT_NEAR(d->error, std::sqrt(1.75), 1e-12);
  // Between Student's two-sided p of 2.6458 for 3 degrees (0.0772) and for 4 (0.0572).
  EXPECT_GT(d->p, 0.0572);
  EXPECT_LT(d->p, 0.0772);
  // Half the interval: between the quantiles 2.776 (4 degrees) and 3.182 (3) of the error.
  EXPECT_GT(d->high - d->value, 2.776 * d->error);
  EXPECT_LT(d->high - d->value, 3.182 * d->error);
  EXPECT_NEAR(d->value - d->low, d->high - d->value, 1e-12);
}

TEST(Welch, ToleranceIsTakenOffTheDifference) {
  const std::vector<double> a = {1.00, 1.01, 0.99, 1.00}, b = {1.05, 1.06, 1.04, 1.05};
  EXPECT_LT(welch_difference(a, b, 0, 0, 0.02, 0.95)->p, 0.01);
  // As large as the tolerance: in half of all cases chance makes it larger.
  EXPECT_NEAR(welch_difference(a, b, 0, 0, 0.05, 0.95)->p, 0.5, 0.01);
  EXPECT_GT(welch_difference(a, b, 0, 0, 0.10, 0.95)->p, 0.99);
}

TEST(Welch, KnownVarianceCountsWhereRunsAgreeByChance) {
  const std::vector<double> a = {1, 1, 1}, b = {1.1, 1.1, 1.1};
  EXPECT_EQ(welch_difference(a, b, 0, 0, 0.02, 0.95)->p, 0);
  // 25 samples a run: a standard deviation of 0.2 a run, 0.163 of the difference of means.
  const auto d = welch_difference(a, b, 0.04, 0.04, 0.02, 0.95);
  EXPECT_NEAR(d->error, std::sqrt(2 * 0.04 / 3), 1e-12);
  EXPECT_GT(d->p, 0.3);
}

TEST(Welch, OneRunTellsNothing) {
  EXPECT_FALSE(welch_difference(std::vector{1.0}, std::vector{2.0, 2.1}, 0, 0, 0, 0.95));
}

TEST(Holm, AdjustsBySteps) {
  // Of 4: 0.01 x 4, 0.02 x 3, 0.03 x 2 = 0.06 as well, 0.5.
  EXPECT_EQ(holm_adjusted(std::vector{0.5, 0.01, 0.03, 0.02}), (std::vector{0.5, 0.04, 0.06, 0.06}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

}  // namespace
}  // namespace scalediag::report
