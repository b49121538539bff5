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

// A target that is hardly known (0.001 to 2) does not matter where the measured points leave no doubt, and counts alone
// decide where these do.
TEST(ScalingVerdict, MeasuredPointsAndCountsAreEvidenceByThemselves) {
  EXPECT_EQ(judge([](double) { return 1.0; }, 64, Scaling::kStrong, 0.999).scales, std::optional(false));
  const auto judged = [](const KnownOfKernel& known) {
    const Hypothesis stays = [](double) { return 1.0; };
    const auto unknown = [](double) { return fit::Estimate{1, 0.001, 1000}; };
    return judge_scaling(stays, unknown, measured(stays, 0.9), 64, Scaling::kStrong, known);
  };
  EXPECT_FALSE(judged({}).scales);
  EXPECT_EQ(judged({.counts_stay = true}).scales, std::optional(false));
  EXPECT_EQ(judged({.counts_stay = true}).chance, 0);
}

// 17.6, 20, 17.6 and 8.7: P^-0.3 over all scales, but the last step halves it.
TEST(ScalingVerdict, TheLastStepMayContradictTheTrend) {
  const std::vector<MeasuredScale> points = {{2, 17.6, 0.02}, {4, 20, 0.02}, {8, 17.6, 0.02}, {16, 8.7, 0.02}};
  const auto value = [](double p) { return 8.7 * std::pow(p / 16, -0.4); };
  const auto estimate = [&](double p) { return fit::Estimate{value(p), value(p) / 10, 10 * value(p)}; };
  EXPECT_FALSE(judge_scaling(value, estimate, points, 64, Scaling::kStrong).scales);
}

// Divided work that takes twice as long at the last scale is not accused; work that stays is, by the scales before.
TEST(ScalingVerdict, AScaleThatDepartsFromTheTrendIsNoEvidence) {
  const auto judged = [](double first, double second, double third, double last) {
    const std::vector<MeasuredScale> points = {{2, first}, {4, second}, {8, third}, {16, last}};
    const auto estimate = [last](double) { return fit::Estimate{last, last / 100, last * 100}; };
    return judge_scaling([last](double) { return last; }, estimate, points, 64, Scaling::kStrong,
                         {.last_departs = true});
  };
  EXPECT_FALSE(judged(8, 4, 2, 4).scales);
  EXPECT_EQ(judged(1, 1, 1, 2).scales, std::optional(false));
}

// Of ten kernels one is accused at 0.005, two at 0.01 each, three at 0.015.
TEST(ScalingVerdict, OfManyKernelsEachNeedsMoreEvidence) {
  EXPECT_DOUBLE_EQ(chance_allowed({0.04}, 1), 0.05);
  EXPECT_DOUBLE_EQ(chance_allowed({0.02, 0.009, 0.0095}, 10), 0.01);
  EXPECT_DOUBLE_EQ(chance_allowed({0.014, 0.012, 0.011}, 10), 0.015);
  EXPECT_DOUBLE_EQ(chance_allowed({0.02, 0.03}, 10), 0.005);
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
