#include "report/platforms/platform_comparison.h"

#include <gtest/gtest.h>

#include <vector>

#include "report/platforms/platforms_json.h"
#include "report/platforms/platforms_text.h"

namespace scalediag::report {
namespace {

Estimate estimate(double value, double low, double high) { return {value, low, high, 0.9}; }

PlatformFindings platform(const char* name, const Estimate& run_s, std::optional<double> price = std::nullopt) {
  TargetFindings target;
  target.at = {{"np", 64}};
  target.run_s = run_s;
  PlatformFindings wanted;
  wanted.name = name;
  wanted.network = std::string(name) + ".json";
  wanted.price = price;
  wanted.cores_per_rank = 2;
  return platform_of(target, wanted);
}

std::string text_on(const std::vector<PlatformFindings>& platforms) {
  return platforms_text(compare_platforms("app", {{"np", 64}}, platforms), {});
}

// 64 ranks with two cores each for 90 s are 64 x 2 x 90 / 3600 = 3.2 core-hours, between those of 45 and of 180 s.
TEST(PlatformComparison, CoreHoursAndCostFollowTheRun) {
  const PlatformFindings found = platform("a", estimate(90, 45, 180), 0.5);
  EXPECT_DOUBLE_EQ(found.core_hours.value, 3.2);
  EXPECT_DOUBLE_EQ(found.core_hours.low, 1.6);
  EXPECT_DOUBLE_EQ(found.core_hours.high, 6.4);
  EXPECT_DOUBLE_EQ(found.cost->value, 1.6);
  EXPECT_DOUBLE_EQ(found.cost->high, 3.2);
  EXPECT_FALSE(platform("b", estimate(90, 45, 180)).cost);
}

TEST(PlatformComparison, TheLeastIsKnownWhereItsIntervalLiesBelowAllOthers) {
  using Values = std::vector<std::optional<Estimate>>;
  const auto clear = least_of(Values{estimate(10, 9, 11), estimate(8, 7, 8.9), std::nullopt});
  EXPECT_EQ(clear->index, 1U);
  EXPECT_TRUE(clear->is_known());
  const auto touching = least_of(Values{estimate(12, 8.9, 13), estimate(8, 7, 8.9), estimate(10, 9, 11)});
  EXPECT_EQ(touching->index, 1U);
  EXPECT_EQ(touching->others, std::vector<size_t>{0});
  EXPECT_FALSE(least_of(Values{estimate(8, 7, 9), std::nullopt}));
}

// b takes less time; at ten times the price it costs more for certain.
TEST(PlatformComparison, TheFastestNeedNotBeTheCheapest) {
  const std::string text = text_on({platform("a", estimate(90, 80, 100), 0.5), platform("b", estimate(45, 40, 50), 5)});
  EXPECT_NE(text.find("Fastest: b, whose interval lies below all others."), text.npos) << text;
  EXPECT_NE(text.find("Cheapest: a, whose interval lies below all others."), text.npos) << text;
  EXPECT_EQ(text.rfind("app at np=64 on 2 platforms\n", 0), 0U) << text;
}

// c may be the cheapest, but has no price.
TEST(PlatformComparison, TheCheapestIsThatOfThoseWithAPrice) {
  const PlatformFindings unpriced = platform("c", estimate(10, 9, 11));
  const std::string text =
      text_on({platform("a", estimate(90, 80, 100), 0.5), platform("b", estimate(45, 40, 50), 5), unpriced});
  EXPECT_NE(text.find("Fastest: c, whose interval lies below all others."), text.npos) << text;
  EXPECT_NE(text.find("Cheapest: a, whose interval lies below those of the others with a price."), text.npos) << text;
  const std::string overlapping =
      text_on({platform("a", estimate(90, 80, 100), 1), platform("b", estimate(95, 85, 105), 1), unpriced});
  EXPECT_NE(
      overlapping.find("Which is cheapest of those with a price is not known: the interval of b overlaps that of a."),
      text.npos)
      << overlapping;
}

TEST(PlatformComparison, IntervalsThatOverlapDecideNothing) {
  const std::vector<PlatformFindings> platforms = {platform("a", estimate(90, 80, 100)),
                                                   platform("b", estimate(85, 60, 95)),
                                                   platform("c", estimate(300, 200, 400))};
  const std::string text = text_on(platforms);
  EXPECT_NE(text.find("Which is fastest is not known: the interval of a overlaps that of b."), text.npos) << text;
  EXPECT_NE(text.find("cheapest in core-hours"), text.npos) << text;
  const Json json = platforms_json(compare_platforms("app", {{"np", 64}}, platforms));
  EXPECT_EQ(json["fastest"]["platform"], "b");
  EXPECT_EQ(json["fastest"]["known"], false);
  EXPECT_EQ(json["fastest"]["or"], Json({"a"}));
  EXPECT_TRUE(json["cheapest"].is_null());
  const std::string three = text_on(
      {platform("a", estimate(90, 60, 100)), platform("b", estimate(85, 60, 95)), platform("c", estimate(80, 50, 90))});
  EXPECT_NE(three.find("Which is fastest is not known: the intervals of a and b overlap that of c."), three.npos)
      << three;
}

TEST(PlatformComparison, RunsThatTellNothingDecideNothing) {
  PlatformFindings noisy = platform("a", estimate(90, 80, 100));
  noisy.trust.add({Doubt::kNoise, Grade::kNothing, 0.7, {{{"np", 2}}}});
  const auto comparison = compare_platforms("app", {{"np", 64}}, {noisy, platform("b", estimate(45, 40, 50))});
  const std::string text = platforms_text(comparison, {});
  EXPECT_NE(text.find("Cannot be told from these runs: which platform is the fastest"), text.npos) << text;
  EXPECT_EQ(text.find("Fastest"), text.npos) << text;
  EXPECT_TRUE(platforms_json(comparison)["fastest"].is_null());
}

}  // namespace
}  // namespace scalediag::report
