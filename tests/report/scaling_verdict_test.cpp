#include "report/scaling_verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "report/scaling_kind.h"

namespace scalediag::report {
namespace {

using Law = std::function<double(double)>;

std::vector<MeasuredScale> measured(const Law& law, double noise = 0) {
  std::vector<MeasuredScale> all;
  int sign = 1;
  for (const double p : {2.0, 4.0, 8.0, 16.0}) {
    all.push_back({p, law(p) * (1 + sign * noise), noise});
    sign = -sign;
  }
  return all;
}

// An interval of `width` on both sides.
ScalingVerdict judge(const Law& law, double target, Scaling scaling = Scaling::kStrong, double width = 0.05,
                     double noise = 0) {
  return judge_scaling(
      law,
      [&](double p) {
        return fit::Estimate{law(p), law(p) * (1 - width), law(p) * (1 + width)};
      },
      measured(law, noise), target, scaling);
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
  const Law helper = [](double p) { return 2000 / p + 8; };
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

TEST(ScalingKind, TellsStrongFromWeak) {
  const Law falls = [](double p) { return 6 / p; };
  const Law stays = [](double) { return 1.0; };
  // At 2 processes: 3 s that fall, 1 s that stays.
  EXPECT_EQ(recognise_scaling(std::vector{measured(falls), measured(stays)}).scaling, Scaling::kStrong);
  EXPECT_EQ(recognise_scaling(std::vector{measured(stays), measured(stays)}).scaling, Scaling::kWeak);
  // 5.02 at 2, 0.63 at 32 and 1.36 at 128: divided work, and a cost of every process.
  std::vector<MeasuredScale> turns;
  for (double p = 2; p <= 128; p *= 2) turns.push_back({p, 10 / p + 0.01 * p, 0});
  EXPECT_EQ(recognise_scaling(std::vector<std::vector<MeasuredScale>>{turns}).scaling, Scaling::kStrong);
  // No sample hit it at 8, which is not its fastest scale: from 4 s at 2 to 0.5 at 32.
  const std::vector<MeasuredScale> unseen = {{2, 4, 0}, {4, 3.9, 0}, {8, 0, 0}, {16, 1, 0}, {32, 0.5, 0}};
  EXPECT_EQ(recognise_scaling(std::vector<std::vector<MeasuredScale>>{unseen}).scaling, Scaling::kStrong);
  // One low value in weak scaling is a disturbance of the others.
  const std::vector<MeasuredScale> dips = {{2, 3, 0}, {4, 1.9, 0}, {8, 3.1, 0}, {16, 3, 0}};
  EXPECT_EQ(recognise_scaling(std::vector<std::vector<MeasuredScale>>{dips}).scaling, Scaling::kWeak);
}

TEST(ScalingKind, IsUnknownWhereNoTimeDecides) {
  EXPECT_EQ(recognise_scaling({}).scaling, Scaling::kUnknown);
  // As P: neither a fixed problem nor one that grows with the processes takes so much longer.
  const std::vector<MeasuredScale> grows = {{2, 1, 0}, {4, 2, 0}, {8, 4, 0}};
  EXPECT_EQ(recognise_scaling(std::vector<std::vector<MeasuredScale>>{grows}).scaling, Scaling::kUnknown);
  // One that stays beside it decides.
  const std::vector<MeasuredScale> stays = {{2, 1, 0}, {4, 1, 0}, {8, 1, 0}};
  EXPECT_EQ(recognise_scaling(std::vector{grows, stays}).scaling, Scaling::kWeak);
  const std::vector<MeasuredScale> zeros = {{2, 0, 0}, {4, 0, 0}, {8, 0, 0}};
  const ScalingKind nothing = recognise_scaling(std::vector<std::vector<MeasuredScale>>{zeros});
  EXPECT_EQ(nothing.scaling, Scaling::kUnknown);
  EXPECT_EQ(nothing.reason, "all values are 0");
}

TEST(ScalingKind, TellsWhenTheMeasurementsSayOtherwiseThanStated) {
  const std::vector<MeasuredScale> falls = {{2, 4, 0}, {4, 2, 0}, {8, 1, 0}};
  const std::vector<std::vector<MeasuredScale>> kernels = {falls};
  std::vector<std::string> notes;
  EXPECT_EQ(scaling_of(kernels, Scaling::kStrong, notes).scaling, Scaling::kStrong);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(scaling_of(kernels, Scaling::kWeak, notes).scaling, Scaling::kWeak);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("scaling is weak as stated, but the measurements look strong"), std::string::npos)
      << notes[0];
}

}  // namespace
}  // namespace scalediag::report
