#include "core/equations/process_grid.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

TEST(ProcessGrid, IsTheMostCompactOne) {
  EXPECT_EQ(process_grid(12, 1), (std::array<int, 3>{12, 1, 1}));
  EXPECT_EQ(process_grid(12, 2), (std::array<int, 3>{4, 3, 1}));
  EXPECT_EQ(process_grid(7, 2), (std::array<int, 3>{7, 1, 1}));
  EXPECT_EQ(process_grid(32, 3), (std::array<int, 3>{4, 4, 2}));
  EXPECT_EQ(process_grid(1, 3), (std::array<int, 3>{1, 1, 1}));
}

// 144 = 9 x 4 x 4 = 8 x 6 x 3 = 6 x 6 x 4: sums of 17, 17 and 16.
TEST(ProcessGrid, HasTheSmallestSumOfSides) { EXPECT_EQ(process_grid(144, 3), (std::array<int, 3>{6, 6, 4})); }

// 360 = 9 x 8 x 5 = 10 x 6 x 6: both have a sum of 22.
TEST(ProcessGrid, OfEqualSumsHasTheLongestShortestSide) {
  EXPECT_EQ(process_grid(360, 3), (std::array<int, 3>{10, 6, 6}));
}

// A prime; the cube of 1291, the first side that is not tried any more, is larger than any int.
TEST(ProcessGrid, OfTheLargestNumberIsALine) {
  EXPECT_EQ(process_grid(2147483647, 3), (std::array<int, 3>{2147483647, 1, 1}));
}

// 16 ranks are halved along z, y, x and z: bits 3 and 0 are z, bit 2 is y, bit 1 is x. 11 = 1011b: z = 3, y = 0, x = 1.
TEST(ProcessGrid, OfHalves) {
  const ProcessGrid grid = process_grid(GridKind::kSpaceBisected, 16);
  EXPECT_EQ(grid.sides, (std::array<int, 3>{2, 2, 4}));
  EXPECT_EQ(grid.coordinates(11), (std::array<int, 3>{1, 0, 3}));
  for (int rank = 0; rank < 16; ++rank) EXPECT_EQ(grid.rank(grid.coordinates(rank)), rank);
  EXPECT_EQ(process_grid(GridKind::kSpaceBisected, 2).coordinates(1), (std::array<int, 3>{0, 0, 1}));
}

TEST(ProcessGrid, SquaresAndCubes) {
  EXPECT_TRUE(is_square(1) && is_square(25) && is_square(1 << 20));
  EXPECT_FALSE(is_square(2) || is_square(24) || is_square(27));
  EXPECT_TRUE(is_cube(1) && is_cube(27) && is_cube(1000));
  EXPECT_FALSE(is_cube(4) || is_cube(26) || is_cube(25));
}

TEST(ProcessGrid, PrimeFactors) {
  EXPECT_EQ(prime_factors(1), (std::set<int>{}));
  EXPECT_EQ(prime_factors(360), (std::set<int>{2, 3, 5}));  // 8 x 9 x 5
  EXPECT_EQ(prime_factors(2 * 97), (std::set<int>{2, 97}));
}

}  // namespace
}  // namespace scalediag::core
