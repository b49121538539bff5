#include "fit/curves/ding_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

Curve curve_of(const std::vector<double>& x, const std::function<double(double)>& hypothesis,
               Axis axis = Axis::kProcesses) {
  Curve c;
  c.scales = std::make_shared<ScaleTable>(x, axis);
  for (const double v : x) {
    c.values.push_back(hypothesis(v));
    c.weights.push_back(1);
  }
  return c;
}

const Alternative* named(const std::vector<Alternative>& all, const std::string& begin) {
  for (const Alternative& a : all)
    if (a.hypothesis.rfind(begin, 0) == 0) return &a;
  return nullptr;
}

void expect_coefficients(const Alternative* a, double constant, double factor) {
  ASSERT_NE(a, nullptr);
  EXPECT_NEAR(a->coefficients[0].value, constant, 1e-6 * std::abs(constant));
  EXPECT_NEAR(a->coefficients[1].value, factor, 1e-6 * std::abs(factor));
  EXPECT_LT(a->backtest_error, 1e-6);  // the form is the truth, so the largest scale is met
  EXPECT_EQ(a->weight, 0);
}

TEST(DingModels, EachFindsItsOwnFormAlsoWithNegativeCoefficients) {
  const std::vector<double> x = doublings(2, 6);
  const auto power = ding_models(curve_of(x, [](double p) { return 300 * std::pow(p, -0.8) + 4; }), "p");
  expect_coefficients(named(power, "power"), 4, 300);
  EXPECT_EQ(named(power, "power")->formula, "4 + 300 p^-0.8");
  const auto logarithm = ding_models(curve_of(x, [](double p) { return 20 - 2 * std::log2(p); }), "p");
  expect_coefficients(named(logarithm, "logarithm"), 20, -2);
  EXPECT_EQ(named(logarithm, "logarithm")->formula, "20 - 2 log2(p)");
  const auto exponential = ding_models(curve_of(x, [](double p) { return 3 * std::exp(6 / p) + 4; }), "p");
  expect_coefficients(named(exponential, "exponential"), 4, 3);
  EXPECT_EQ(named(exponential, "exponential")->formula, "4 + 3 exp(6 / p)");
  const auto of_size = ding_models(curve_of(
                                       x, [](double n) { return 3 * std::exp(0.02 * n) + 4; }, Axis::kSize),
                                   "n");
  expect_coefficients(named(of_size, "exponential"), 4, 3);
  EXPECT_EQ(named(of_size, "exponential")->formula, "4 + 3 exp(0.02 n)");
}

TEST(DingModels, SayWhatTheyWouldPredictWhereThatIsImpossible) {
  // 20 - 2 log2(p) is 8 at 64 and 20 - 18 = 2 at 8 times that; 14 - 2 log2(p) is 14 - 18 = -4 there.
  const auto all = ding_models(curve_of(doublings(2, 6), [](double p) { return 14 - 2 * std::log2(p); }), "p");
  const Alternative* logarithm = named(all, "logarithm");
  ASSERT_NE(logarithm, nullptr);
  EXPECT_NE(logarithm->reason.find("is -4 at 8 times that scale"), std::string::npos) << logarithm->reason;
}

TEST(DingModels, TwoScalesAreTooFew) {
  EXPECT_TRUE(ding_models(curve_of({2, 4}, [](double p) { return p; }), "p").empty());
}

}  // namespace
}  // namespace scalediag::fit
