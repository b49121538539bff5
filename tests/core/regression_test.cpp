#include "core/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scalediag::core {
namespace {

// x = 1, 2, 3, y = 1, 3, 2: means 2 and 2; sum (x - 2)(y - 2) = 1 + 0 + 0 = 1, sum (x - 2)^2 = 2, so the slope is 1/2.
// The line is 1.5, 2, 2.5 at the points: squared distances 1/4 + 1 + 1/4 = 3/2, with one degree of freedom.
TEST(LineThrough, HasSlopeAndScatterOfLeastSquares) {
  const auto line = line_through(std::vector<double>{1, 2, 3}, std::vector<double>{1, 3, 2});
  ASSERT_TRUE(line);
  EXPECT_DOUBLE_EQ(line->mean_x, 2);
  EXPECT_DOUBLE_EQ(line->mean_y, 2);
  EXPECT_DOUBLE_EQ(line->slope, 0.5);
  EXPECT_DOUBLE_EQ(line->scatter, 1.5);
  EXPECT_DOUBLE_EQ(line->variance(), 1.5);
  EXPECT_DOUBLE_EQ(line->slope_error(1.5), std::sqrt(0.75));
}

TEST(LineThrough, TwoPointsHaveNoScatter) {
  const auto line = line_through(std::vector<double>{0, 2}, std::vector<double>{1, 5});
  ASSERT_TRUE(line);
  EXPECT_DOUBLE_EQ(line->slope, 2);
  EXPECT_DOUBLE_EQ(line->variance(), 0);
}

TEST(LineThrough, NeedsTwoDifferentPlaces) {
  EXPECT_FALSE(line_through({}, {}));
  EXPECT_FALSE(line_through(std::vector<double>{1}, std::vector<double>{1}));
  EXPECT_FALSE(line_through(std::vector<double>{1, 1}, std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace scalediag::core
