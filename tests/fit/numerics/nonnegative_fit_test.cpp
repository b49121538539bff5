#include "fit/numerics/nonnegative_fit.h"

#include <gtest/gtest.h>

namespace scalediag::fit {
namespace {

TEST(NonnegativeFit, FindsCoefficientsExactly) {
  // y = 3 + 0.5 x at x = 1, 2, 4.
  const std::vector<std::vector<double>> columns = {{1, 1, 1}, {1, 2, 4}};
  const std::vector<double> values = {3.5, 4, 5};
  const auto fit = fit_nonnegative(columns, values);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 3, 1e-9);
  EXPECT_NEAR(fit->coefficients[1], 0.5, 1e-9);
  EXPECT_LT(fit->largest_deviation, 1e-12);
}

TEST(NonnegativeFit, DropsAColumnThatWantsToBeNegative) {
  // y = 5 - x would be exact; without a negative coefficient a constant is left. In relative error that is
  // c = sum(1/y) / sum(1/y^2) with y = 4, 3, 1: (1/4 + 1/3 + 1) / (1/16 + 1/9 + 1) = 1.3491...
  const std::vector<std::vector<double>> columns = {{1, 1, 1}, {1, 2, 4}};
  const auto fit = fit_nonnegative(columns, std::vector<double>{4, 3, 1});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->coefficients[1], 0);
  EXPECT_NEAR(fit->coefficients[0], (1 / 4.0 + 1 / 3.0 + 1) / (1 / 16.0 + 1 / 9.0 + 1), 1e-9);
}

TEST(NonnegativeFit, ScaleOfColumnsDoesNotMatter) {
  const std::vector<std::vector<double>> columns = {{1e-9, 2e-9, 4e-9}, {1e12, 1e12, 1e12}};
  const auto fit = fit_nonnegative(columns, std::vector<double>{3, 4, 6});  // 2 + 1 x
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0] * 1e-9, 1, 1e-9);
  EXPECT_NEAR(fit->coefficients[1] * 1e12, 2, 1e-9);
}

TEST(NonnegativeFit, NeedsAPositiveValue) {
  EXPECT_FALSE(fit_nonnegative(std::vector<std::vector<double>>{{1, 2}}, std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace scalediag::fit
