#include "fit/curves/several_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"

namespace scalediag::fit {
namespace {

using Hypothesis = std::function<double(double p, double n)>;

Series series_at(const std::vector<std::array<double, 2>>& at, const Hypothesis& hypothesis) {
  Series s{{"p", "n"}, "time_s", "f", {}};
  for (const auto& x : at) s.observations.push_back({{x[0], x[1]}, {hypothesis(x[0], x[1])}});
  return s;
}

std::vector<std::array<double, 2>> grid(const std::vector<double>& p, const std::vector<double>& n) {
  std::vector<std::array<double, 2>> at;
  for (const double a : p)
    for (const double b : n) at.push_back({a, b});
  return at;
}

bool notes_say(const Model& m, const std::string& part) {
  return std::any_of(m.notes().begin(), m.notes().end(),
                     [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

const Hypothesis kDivided = [](double p, double n) { return n * n / p; };

void expect_value(const Model& m, double p, double n, double truth, double tolerance) {
  const Estimate e = m.evaluate(std::array{p, n});
  EXPECT_NEAR(e.value / truth, 1, tolerance) << p << ", " << n;
  EXPECT_LE(e.low, truth);
  EXPECT_GE(e.high, truth);
  EXPECT_EQ(e.value, m.value(std::array{p, n}));
}

TEST(SeveralParameters, FollowTheMeasuredCurveThroughTheTarget) {
  const Model m = fit(series_at(grid({2, 4, 8, 16}, {10, 20, 40}), kDivided)).value();
  expect_value(m, 64, 20, 400.0 / 64, 0.05);
  expect_value(m, 8, 160, 25600.0 / 8, 0.1);
}

TEST(SeveralParameters, CombineCurvesWhereNoneLeadsToTheTarget) {
  const Model m = fit(series_at(grid({2, 4, 8, 16}, {10, 20, 40}), kDivided)).value();
  expect_value(m, 64, 80, 6400.0 / 64, 0.15);
  EXPECT_NEAR(m.behaviour(0).exponent, -1, 0.1);
  EXPECT_NEAR(m.behaviour(1).exponent, 2, 0.2);
}

TEST(SeveralParameters, WorkWithACrossOfMeasurements) {
  // All p at n = 10 and all n at p = 2: (16, 40) was never measured, and is 1600/16.
  const Model m = fit(series_at({{2, 10}, {4, 10}, {8, 10}, {16, 10}, {2, 20}, {2, 40}}, kDivided)).value();
  expect_value(m, 32, 10, 100.0 / 32, 0.05);
  expect_value(m, 2, 80, 3200, 0.1);
  const Estimate e = m.evaluate(std::array{16.0, 40.0});
  EXPECT_NEAR(e.value / 100, 1, 0.3);
  EXPECT_LE(e.low, 100);
  EXPECT_GE(e.high, 100);
}

// Four values of each parameter, along the axes only: a product with no term in both is known from the axes alone.
TEST(SeveralParameters, AnExactProductIsFoundOnTheAxes) {
  std::vector<std::array<double, 2>> cross;
  for (const double p : {2, 4, 8, 16}) cross.push_back({p, 100});
  for (const double n : {50, 200, 400}) cross.push_back({2, n});
  const Model m = fit(series_at(cross, [](double p, double n) { return n / p; })).value();
  EXPECT_EQ(m.formula(), "1 p^-1 n^1");
  EXPECT_TRUE(m.value_of_formula().is_value);
  EXPECT_EQ(m.alternatives().front().hypothesis, "product of powers");
  expect_value(m, 64, 400, 400.0 / 64, 1e-9);
  expect_value(m, 64, 100, 100.0 / 64, 1e-9);
}

TEST(SeveralParameters, ASumIsNoExactProduct) {
  const Model m =
      fit(series_at(grid({2, 4, 8, 16}, {10, 20, 40}), [](double p, double n) { return n / p + 1; })).value();
  EXPECT_FALSE(m.value_of_formula().is_value);
}

TEST(SeveralParameters, ScatteredPointsAreAProductOfPowers) {
  // No two differ in one parameter only, and n does not follow from p.
  const Model m = fit(series_at({{2, 10}, {4, 40}, {8, 12}, {16, 35}, {32, 14}, {64, 33}}, kDivided)).value();
  EXPECT_TRUE(notes_say(m, "no two configurations differ in one parameter only"));
  EXPECT_EQ(m.formula().find("nan"), std::string::npos);
  const Estimate e = m.evaluate(std::array{128.0, 20.0});
  EXPECT_NEAR(e.value / (400.0 / 128), 1, 0.35);
  EXPECT_LE(e.low, 400.0 / 128);
  EXPECT_GE(e.high, 400.0 / 128);
}

TEST(SeveralParameters, WeakScalingIsOneCurveAndSaysThatItCannotTellThemApart) {
  // n grows with p in every run; edges of cubes, rounded: 10 (2 p)^(1/3).
  const Model m =
      fit(series_at({{4, 20}, {8, 25}, {16, 32}, {32, 40}, {64, 50}}, [](double, double) { return 7.0; })).value();
  EXPECT_TRUE(notes_say(m, "n changed with p in every run"));
  EXPECT_NEAR(m.evaluate(std::array{512.0, 100.0}).value, 7, 0.01);
}

TEST(SeveralParameters, APathThatTurnsIsNotOneCurve) {
  // As above but for the last run: with 4 times the processes the problem is 4 times smaller.
  const Model m = fit(series_at({{4, 20}, {8, 25}, {16, 32}, {64, 8}}, kDivided)).value();
  EXPECT_FALSE(notes_say(m, "changed with p in every run"));
}

TEST(SeveralParameters, TheProcessesAreFoundByName) {
  Series s{{"n", "np"}, "time_s", "f", {}};
  for (const double n : {10.0, 20.0, 40.0})
    for (const double p : {2.0, 4.0, 8.0}) s.observations.push_back({{n, p}, {n / p}});
  const Model m = fit(s).value();
  const auto next = m.next_run();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->at[1], 16);
}

TEST(SeveralParameters, NodesCoresAndGpusCountAsProcessesWhereNothingElseDoes) {
  for (const char* name : {"nodes", "cores", "gpus"}) EXPECT_EQ(named_processes({"n", name}), 1U) << name;
  EXPECT_EQ(named_processes({"nodes", "ranks"}), 1U);
  EXPECT_FALSE(named_processes({"n", "theta"}).has_value());
}

TEST(SeveralParameters, BacktestCountsEveryCurveAlongTheProcesses) {
  const Model m = fit(series_at(grid({2, 4, 8}, {10, 20, 40}), kDivided)).value();
  // Three curves of three scales: one origin with one target each.
  EXPECT_EQ(m.backtest().predictions, 3);
  EXPECT_EQ(m.backtest().measured_largest, 1600.0 / 8);  // of the curve with the largest value
}

TEST(SeveralParameters, AreFiniteAndPositiveFarAway) {
  const Model m = fit(series_at(grid({2, 4, 8, 16}, {10, 20, 40}), kDivided)).value();
  for (const double p : {1e-3, 1.0, 3.0, 1e6})
    for (const double n : {1e-3, 17.0, 1e6}) {
      const Estimate e = m.evaluate(std::array{p, n});
      EXPECT_TRUE(std::isfinite(e.high) && e.low >= 0 && e.low <= e.value && e.value <= e.high) << p << ", " << n;
    }
}

TEST(FitProduct, FindsExponents) {
  std::vector<Point> points;
  for (const double p : {2.0, 8.0, 32.0, 128.0})
    for (const double n : {10.0, 100.0, 1000.0}) points.push_back({{p, n}, 5 * std::pow(p, -0.5) * n, 1, 1});
  const std::array<size_t, 2> dims = {0, 1};
  const PowerProduct product = fit_product(points, dims);
  // Drawn towards 0 by a tenth of a squared logarithm in sums of 29 and 42: below half a percent.
  EXPECT_NEAR(product.exponents[0], -0.5, 0.005);
  EXPECT_NEAR(product.exponents[1], 1, 0.005);
  EXPECT_LT(product.deviation, 0.01);
}

}  // namespace
}  // namespace scalediag::fit
