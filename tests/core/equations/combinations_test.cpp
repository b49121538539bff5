// Sums of terms whose coefficients are known.
#include "core/equations/combinations.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

TEST(Combinations, FindTheCoefficientsThatMeetAllValues) {
  // 3 + 0.001 x^2 at x = 1, 10, 100, with columns 1, x, x^2
  const std::vector<Column> columns = {{1, 1, 1}, {1, 10, 100}, {1, 100, 1e4}};
  const auto found = combination_of(std::vector<size_t>{0, 2}, columns, {3.001, 3.1, 13});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->coefficients[0], 3, 1e-9);
  EXPECT_NEAR(found->coefficients[1], 0.001, 1e-12);
  EXPECT_LT(found->largest_deviation, 1e-12);
}

// c minimises (c / 1 - 1)^2 + (c / 2 - 1)^2: c + c/4 = 1 + 1/2, c = 1.2. It misses 1 by 0.2 and 2 by 0.8 / 2.
TEST(Combinations, DeviationsAreRelative) {
  const auto found = combination_of(std::vector<size_t>{0}, {{1, 1}}, {1, 2});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->coefficients[0], 1.2, 1e-12);
  EXPECT_NEAR(found->largest_deviation, 0.4, 1e-12);
}

// c minimises (c - 0)^2 + (c / 2 - 1)^2: c + c/4 = 1/2, c = 0.4. It misses 0 by 0.4 and 2 by 0.8.
TEST(Combinations, DeviationsFromZeroAreAbsolute) {
  const auto found = combination_of(std::vector<size_t>{0}, {{1, 1}}, {0, 2});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->coefficients[0], 0.4, 1e-12);
  EXPECT_NEAR(found->largest_deviation, 0.8, 1e-12);
}

TEST(Combinations, TermsThatCannotBeToldApartAreNone) {
  const std::vector<Column> columns = {{1, 2, 4}, {1000, 2000, 4000}, {0, 0, 0}};
  EXPECT_FALSE(combination_of(std::vector<size_t>{0, 1}, columns, {2, 4, 8}));
  EXPECT_FALSE(combination_of(std::vector<size_t>{2}, columns, {2, 4, 8}));
}

TEST(Combinations, ChoicesAreInTheOrderGiven) {
  std::vector<std::vector<size_t>> choices;
  for_each_choice(std::vector<size_t>{5, 2, 7}, 2,
                  [&](std::span<const size_t> chosen) { choices.emplace_back(chosen.begin(), chosen.end()); });
  EXPECT_EQ(choices, (std::vector<std::vector<size_t>>{{5, 2}, {5, 7}, {2, 7}}));
}

}  // namespace
}  // namespace scalediag::core
