// Scales of square and of 2:1 process grids are distinguished, and smooth curves are not changed.
#include "fit/numerics/grid_kind.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

bool alternates(const std::vector<double>& x, const std::function<double(double)>& of, double noise = 0) {
  std::vector<double> log_x, log_y;
  for (const double v : x) {
    log_x.push_back(std::log(v));
    log_y.push_back(std::log(of(v)));
  }
  return half_factor_of_kinds(log_x, log_y, noise).has_value();
}

// 4 = 2 x 2, 16, 64, ... are square, 8 = 4 x 2, 32, 128, ... are not and take 1.3 times as long.
double zigzag(double p) {
  const bool square = static_cast<int>(std::lround(std::log2(p))) % 2 == 0;
  return (100 / p + 0.5) * (square ? 1 : 1.3);
}

TEST(GridKind, IsOfDoublings) {
  EXPECT_EQ(grid_kind(std::log(64), std::log(4)), 1);
  EXPECT_EQ(grid_kind(std::log(128), std::log(4)), -1);
  EXPECT_EQ(grid_kind(std::log(2), std::log(4)), -1);
  EXPECT_EQ(grid_kind(std::log(96), std::log(4)), 0);
}

TEST(GridKind, OnlyAZigzagThatNoiseDoesNotExplainTellsThemApart) {
  const std::vector<double> x = doublings(4, 6);
  EXPECT_TRUE(alternates(x, zigzag));
  // A factor of 1.3 is a departure of 0.26, and the difference of two values with 12 % of noise reaches 0.28.
  EXPECT_FALSE(alternates(x, zigzag, 0.12));
  EXPECT_FALSE(alternates(doublings(4, 4), zigzag));
  EXPECT_FALSE(alternates({4, 8, 12, 16, 32}, zigzag));
  EXPECT_FALSE(alternates(x, [](double p) { return 100 / p + 5; }));
  EXPECT_FALSE(alternates(x, [](double p) { return p < 32 ? 100 / p : 3; }));
  for (const std::vector<double>& some : {x, doublings(4, 5)})
    EXPECT_FALSE(alternates(some, [](double p) { return p == 16 ? 10.0 : 100 / p; }));
}

// Each kind is continued by itself: 100 / p + 0.5 at 256, a square, and 1.3 times that at 512. Without distinguishing
// them, the last step, down by half and by 1.3 more or less, would be taken for the trend.
TEST(GridKind, EachIsContinuedByItself) {
  const Model m = fit(series_of(doublings(4, 6), zigzag)).value();
  for (const double p : {256.0, 512.0, 1024.0}) EXPECT_NEAR(m.value(std::array{p}) / zigzag(p), 1, 0.15) << p;
  for (const double p : {4.0, 32.0, 128.0}) EXPECT_NEAR(m.value(std::array{p}) / zigzag(p), 1, 0.05) << p;
  EXPECT_FALSE(m.value_of_formula().is_value);
  bool told = false;
  for (const std::string& note : m.notes()) told = told || note.find("factor of 1.3") != std::string::npos;
  EXPECT_TRUE(told);
  // 192 belongs to neither kind: its interval holds both.
  const Estimate between = m.evaluate(std::array{192.0});
  EXPECT_LT(between.low, 100 / 192. + 0.5);
  EXPECT_GT(between.high, 1.3 * (100 / 192. + 0.5));
}

}  // namespace
}  // namespace scalediag::fit
