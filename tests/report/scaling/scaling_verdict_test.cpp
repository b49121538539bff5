#include "report/scaling/scaling_verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scalediag::report {
namespace {

using Hypothesis = std::function<double(double)>;

std::vector<MeasuredScale> measured(const Hypothesis& hypothesis, double noise = 0) {
  std::vector<MeasuredScale> all;
  int sign = 1;
  for (const double p : {2.0, 4.0, 8.0, 16.0}) {
    all.push_back({p, hypothesis(p) * (1 + sign * noise), noise});
    sign = -sign;
  }
  return all;
}

// An interval of `width` on both sides.
ScalingVerdict judge(const Hypothesis& hypothesis, double target, Scaling scaling = Scaling::kStrong,
                     double width = 0.05, double noise = 0) {
  return judge_scaling(
      hypothesis,
      [&](double p) {
        return fit::Estimate{hypothesis(p), hypothesis(p) * (1 - width), hypothesis(p) * (1 + width)};
      },
      measured(hypothesis, noise), target, scaling);
}

TEST(ScalingVerdict, InverseScales) {
  const auto verdict = judge([](double p) { return 10 / p; }, 1024);
  EXPECT_EQ(verdict.scales, std::optional(true));
  EXPECT_FALSE(verdict.stops_at);
}

TEST(ScalingVerdict, ConstantStopsAtTheFirstScale) {
  const auto verdict = judge([](double) { return 3.0; }, 64);
  EXPECT_EQ(verdict.scales, std::optional(false));
  EXPECT_EQ(verdict.stops_at, std::optional(2.0));
}

TEST(ScalingVerdict, SurfaceStopsAtTheFirstScale) {
  const auto verdict = judge([](double p) { return 3 / std::sqrt(p); }, 256);
  EXPECT_EQ(verdict.scales, std::optional(false));
  EXPECT_EQ(verdict.stops_at, std::optional(2.0));
}

TEST(ScalingVerdict, FindsWhereAConstantTakesOver) {
  // 10/p + 0.1: doubling from p brings (10/2p + 0.1) / (10/p + 0.1), which is above 2^-0.6 = 0.660 from
  // p = 10 (0.66 - 0.5) / (0.1 (1 - 0.66)) = 47 on; in doublings of 2 that is 64.
  const auto verdict = judge([](double p) { return 10 / p + 0.1; }, 1024);
  EXPECT_EQ(verdict.scales, std::optional(false));
  EXPECT_EQ(verdict.stops_at, std::optional(64.0));
}

TEST(ScalingVerdict, AWideIntervalAccusesNobody) {
  // From 0.725 at 16 to 0.110 at 1024 the value goes as P^-0.45, but the interval's lower end, 0.011, as P^-1.01.
  const auto verdict = judge([](double p) { return 10 / p + 0.1; }, 1024, Scaling::kStrong, 0.9);
  EXPECT_FALSE(verdict.scales.has_value());
}

TEST(ScalingVerdict, NoiseAccusesNobodyAndClearsNobody) {
  // 40 % up and down over the measured scales. From 16 to 32 the value halves; the interval's upper end, 1.5 times it,
  // goes as 0.75, P^-0.42.
  const auto verdict = judge([](double p) { return 10 / p; }, 32, Scaling::kStrong, 0.5, 0.4);
  EXPECT_FALSE(verdict.scales.has_value());
  // With 1.2 times it goes as 0.6, P^-0.74.
  EXPECT_EQ(judge([](double p) { return 10 / p; }, 32, Scaling::kStrong, 0.2, 0.4).scales, std::optional(true));
}

TEST(ScalingVerdict, APartThatStaysIsSeenInTheLastDoubling) {
  // 100 / p + 1.5 from 16 to 64: 3.06 / 7.75, P^-0.67 over all, but 3.06 / 4.63 = P^-0.59 over the last doubling.
  const auto verdict = judge([](double p) { return 100 / p + 1.5; }, 64);
  EXPECT_FALSE(verdict.scales.has_value());
  EXPECT_GT(-0.6, verdict.exponent);
}

TEST(ScalingVerdict, RepeatedWorkBesideDividedWorkIsNotSaidToScale) {
  // 2000 / p + 8: at 64 it goes as P^-0.84, but a fifth of it stays; at 16 that was 6 %, three times the 2 % that times
  // repeat to.
  const Hypothesis helper = [](double p) { return 2000 / p + 8; };
  EXPECT_FALSE(judge(helper, 64).scales.has_value());
  // Of 2000 / p + 0.2 less than a hundredth stays at 64.
  EXPECT_EQ(judge([](double p) { return 2000 / p + 0.2; }, 64).scales, std::optional(true));
}

TEST(ScalingVerdict, WeakScalingStaysConstant) {
  EXPECT_EQ(judge([](double) { return 3.0; }, 1024, Scaling::kWeak).scales, std::optional(true));
  EXPECT_EQ(judge([](double p) { return 3 * std::sqrt(p); }, 1024, Scaling::kWeak).scales, std::optional(false));
}

TEST(SlopeOf, LeavesZerosOut) {
  const std::vector<MeasuredScale> points = {{2, 8, 0}, {4, 4, 0}, {8, 0, 0}, {16, 1, 0}};
  EXPECT_NEAR(slope_of(points)->exponent, -1, 1e-12);
  EXPECT_FALSE(slope_of(std::vector<MeasuredScale>{{2, 8, 0}, {4, 0, 0}}));
}

}  // namespace
}  // namespace scalediag::report
