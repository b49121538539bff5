#include "collector/counters/machine/latency_steps.h"

#include <gtest/gtest.h>

namespace scalediag::counters {
namespace {

using Curve = std::vector<std::pair<double, double>>;

TEST(LatencySteps, LieWhereHalfOfTheLoadsAreServedByTheNextLevel) {
  // Plateaus 1 and 3: the mean is 2, which the curve has at 200.
  const Curve curve = {{50, 1}, {100, 1}, {200, 2}, {400, 3}, {800, 3}};
  const auto steps = find_latency_steps(curve, {1, 3});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_DOUBLE_EQ(steps[0], 200);
}

TEST(LatencySteps, AreInterpolatedInLogarithms) {
  // The mean of 1 and 7 is 4 = 1 x 16^(1/2) on the way from 1 to 16, so the set is 100 x 4^(1/2) = 200.
  const auto steps = find_latency_steps({{100, 1}, {400, 16}}, {1, 7});
  EXPECT_NEAR(steps[0], 200, 1e-9);
}

TEST(LatencySteps, AreThoseOfEachLevel) {
  const Curve curve = {{32, 1}, {33, 4}, {1000, 4}, {1010, 16}, {32000, 16}, {33000, 100}};
  const auto steps = find_latency_steps(curve, {1, 4, 16, 100});
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_GT(steps[0], 32);
  EXPECT_LT(steps[0], 33);
  EXPECT_GT(steps[1], 1000);
  EXPECT_LT(steps[1], 1010);
  EXPECT_GT(steps[2], 32000);
  EXPECT_LT(steps[2], 33000);
}

TEST(LatencySteps, ADisturbedPointBelowIsNotTheStep) {
  // At 50 another program disturbed the measurement; the lasting step is at 200.
  const Curve curve = {{50, 9}, {100, 1}, {200, 2}, {400, 3}};
  EXPECT_DOUBLE_EQ(find_latency_steps(curve, {1, 3})[0], 200);
}

TEST(LatencySteps, AreZeroWhereTheCurveNeverRisesThatFar) {
  EXPECT_EQ(find_latency_steps({{100, 1}, {200, 1.5}}, {1, 3})[0], 0);
  EXPECT_EQ(find_latency_steps({}, {1, 3})[0], 0);
}

TEST(LatencySteps, LevelsThatAreAlmostAlikeHaveNoStep) {
  // 1.1 / 1 is below the smallest step, 1.2.
  EXPECT_EQ(find_latency_steps({{100, 1}, {200, 1.1}}, {1, 1.1})[0], 0);
}

}  // namespace
}  // namespace scalediag::counters
