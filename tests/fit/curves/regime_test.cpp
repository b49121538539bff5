#include "fit/curves/regime.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

const double kLog2 = std::log(2.0);

// Scales 1, 2, 4, ... in logarithms.
std::vector<double> scales(size_t n) {
  std::vector<double> x;
  for (size_t i = 0; i < n; i++) x.push_back(kLog2 * static_cast<double>(i));
  return x;
}

// Work that is divided (slope -1), and from the fourth scale on takes half as long as that.
TEST(FindBreak, ReportsWhereAndByHowMuch) {
  std::vector<double> y;
  for (size_t i = 0; i < 6; i++) y.push_back(-kLog2 * static_cast<double>(i) - (i >= 3 ? kLog2 : 0));
  const auto found = find_break(scales(6), y);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->after, 2u);
  EXPECT_NEAR(found->log_factor, -kLog2, 1e-12);
  EXPECT_TRUE(found->confirmed);
}

TEST(FindBreak, AtTheLastScaleItIsNotConfirmed) {
  std::vector<double> y = {0, 0, 0, 0, kLog2};
  const auto found = find_break(scales(5), y);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->after, 3u);
  EXPECT_FALSE(found->confirmed);
}

TEST(FindBreak, OneBadScaleIsNotAChangeOfRegime) {
  const std::vector<double> y = {0, 0, kLog2, 0, 0, 0};  // up and back down again
  EXPECT_FALSE(find_break(scales(6), y).has_value());
}

TEST(FindBreak, NeitherSmoothCurvesNorFewScalesNorSmallStepsBreak) {
  std::vector<double> amdahl;
  for (size_t i = 0; i < 7; i++) amdahl.push_back(std::log(1 / std::pow(2.0, i) + 0.02));
  EXPECT_FALSE(find_break(scales(7), amdahl).has_value());
  const std::vector<double> three = {0, 0, 1};
  EXPECT_FALSE(find_break(scales(3), three).has_value());
  const std::vector<double> small = {0, 0, 0, 0.2, 0.2};  // below kLeastBreak
  EXPECT_FALSE(find_break(scales(5), small).has_value());
}

TEST(RegimeChange, ModelNamesTheScalesAndTheFactor) {
  // 100/p, and a third of that from 16 on.
  const auto model = fit(series_of(doublings(1, 7), [](double p) { return 100 / p / (p >= 16 ? 3 : 1); }));
  ASSERT_TRUE(model.ok());
  const auto change = model.value().regime_change();
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->parameter, "p");
  EXPECT_EQ(change->after, 8);
  EXPECT_EQ(change->before, 16);
  EXPECT_NEAR(change->factor, 1.0 / 3, 1e-9);
  EXPECT_TRUE(change->confirmed);
}

TEST(RegimeChange, WidensTheIntervalBeyondItByItsOwnSize) {
  const auto smooth = fit(series_of(doublings(1, 6), [](double p) { return 100 / p; }));
  const auto broken = fit(series_of(doublings(1, 6), [](double p) { return 100 / p / (p >= 32 ? 3 : 1); }));
  const std::array at = {64.0};
  const Estimate a = smooth.value().evaluate(at);
  const Estimate b = broken.value().evaluate(at);
  // The old regime's value, 100/64, has to be within the interval: three times the new one's.
  EXPECT_GE(b.high, 100.0 / 64);
  EXPECT_GT(b.high / b.low, 3 * a.high / a.low);
}

TEST(RegimeChange, AConfirmedStepIsNotTakenForASlope) {
  // 100/p, and three times that from 16 on: at 512, twice the largest scale, 300/512.
  const auto hypothesis = [](double p) { return 100 / p * (p >= 16 ? 3 : 1); };
  const Model m = fit(series_of(doublings(1, 9), hypothesis)).value();
  const Estimate e = m.evaluate(std::array{512.0});
  // The old regime is a third of that, and the errors of the checks across the step still count: the value is not
  // exact, but nearer to the new regime than half way from the old, 3^(1/2) = 1.7, and the interval holds the truth.
  EXPECT_NEAR(e.value / hypothesis(512), 1, 0.7);
  EXPECT_LE(e.low, hypothesis(512));
  EXPECT_GE(e.high, hypothesis(512));
}

TEST(RegimeChange, IsFoundInCurvesOfSeveralParametersToo) {
  Series s{{"p", "n"}, "time_s", "f", {}};
  for (const double n : {10.0, 20.0, 40.0})
    for (const double p : doublings(1, 6)) s.observations.push_back({{p, n}, {n / p * (n == 40 && p >= 8 ? 0.3 : 1)}});
  const auto change = fit(s).value().regime_change();
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->parameter, "p");
  EXPECT_EQ(change->after, 4);
  EXPECT_EQ(change->before, 8);
  EXPECT_NEAR(change->factor, 0.3, 1e-9);
}

TEST(FallsSuperlinearly, OnlyWhereBothTheWholeAndTheLastStepDo) {
  const std::vector<double> x = scales(4);
  EXPECT_TRUE(falls_superlinearly(x, std::vector<double>{0, -0.8, -1.6, -2.4}));      // slope -1.15
  EXPECT_FALSE(falls_superlinearly(x, std::vector<double>{0, -0.69, -1.38, -2.07}));  // -1.0
  EXPECT_FALSE(falls_superlinearly(x, std::vector<double>{0, -0.9, -1.8, -2.4}));     // the last step -0.87
}

}  // namespace
}  // namespace scalediag::fit
