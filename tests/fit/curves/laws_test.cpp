#include "fit/curves/laws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "fit/curves/formula.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

FittedLaws fitted(const std::vector<double>& x, const std::function<double(double)>& law) {
  std::vector<double> y;
  for (const double v : x) y.push_back(law(v));
  return fit_laws(ScaleTable(x), y, std::vector<double>(x.size(), 1.0)).back();
}

const FittedLaw& of(const FittedLaws& laws, Law law) { return laws[static_cast<size_t>(law)]; }

double value(const FittedLaw& law, double x) { return std::exp(law.log_value(x, std::log(x))); }

struct Known {
  Law law;
  std::function<double(double)> truth;
  std::vector<double> coefficients;
};

// Every law, fitted to exact values of itself, gives its own coefficients and its value at 64 times the largest scale.
// Coefficients are those in `truth`.
TEST(Laws, EachRecoversItsOwn) {
  const std::vector<Known> all = {
      {Law::kLogarithm, [](double p) { return 5 + 2 * std::log2(p); }, {5, 2}},
      {Law::kRoot, [](double p) { return 5 + 2 * std::sqrt(p); }, {5, 2}},
      {Law::kLinear, [](double p) { return 5 + 2 * p; }, {5, 2}},
      {Law::kAmdahl, [](double p) { return 5 + 200 / p; }, {5, 200}},
      {Law::kSurface, [](double p) { return 5 + 200 * std::pow(p, -2.0 / 3); }, {5, 200}},
      {Law::kHalf, [](double p) { return 5 + 200 / std::sqrt(p); }, {5, 200}},
      {Law::kAmdahlLinear, [](double p) { return 5 + 200 / p + 2 * p; }, {5, 200, 2}},
      {Law::kAmdahlLogarithm, [](double p) { return 5 + 200 / p + 2 * std::log2(p); }, {5, 200, 2}},
      {Law::kHalfLogarithm, [](double p) { return 5 + 200 / std::sqrt(p) + 2 * std::log2(p); }, {5, 200, 2}},
      {Law::kPowerConstant, [](double p) { return 5 + 2 * std::pow(p, 0.35); }, {5, 2}},
      {Law::kExponentialConstant, [](double p) { return 5 + 200 * std::exp(-0.1 * p / 2); }, {5, 200}},
      {Law::kPowerLogarithm, [](double p) { return 5 + 2 * p * std::log2(p); }, {5, 2}},
  };
  for (const Known& k : all) {
    const FittedLaw law = of(fitted(doublings(2, 7), k.truth), k.law);
    SCOPED_TRACE(name_of(k.law));
    for (size_t i = 0; i < k.coefficients.size(); i++)
      EXPECT_NEAR(law.c[i], k.coefficients[i], 1e-6 * k.coefficients[i]);
    EXPECT_NEAR(value(law, 8192), k.truth(8192), 1e-6 * k.truth(8192));
  }
}

TEST(Laws, PowersFindTheExponentAndTheirVariantsHoldBack) {
  const FittedLaws laws = fitted(doublings(2, 6), [](double p) { return 7 * std::pow(p, 0.4); });
  // The plain one is drawn towards 0 by a twentieth of the last point's weight, which is 0.3 % here.
  EXPECT_NEAR(of(laws, Law::kPower).exponent, 0.4, 0.4 * 0.02);
  EXPECT_LT(of(laws, Law::kShrunkPower).exponent, of(laws, Law::kPower).exponent);
  EXPECT_NEAR(of(laws, Law::kDampedPower).exponent, 0.4, 1e-9);
  // Halved beyond the last scale, 64: from 64 to 256 the factor is 4^0.2.
  EXPECT_NEAR(value(of(laws, Law::kDampedPower), 256) / value(of(laws, Law::kDampedPower), 64), std::pow(4, 0.2), 1e-9);
  EXPECT_NEAR(of(laws, Law::kDrift).exponent, 0.2, 1e-9);
  EXPECT_NEAR(of(laws, Law::kLevel).exponent, 0, 0);
}

TEST(Laws, CoefficientsOfSumsAreNeverNegative) {
  std::mt19937 random(4);
  std::lognormal_distribution<double> any(0, 2);
  for (int i = 0; i < 2000; i++) {
    const FittedLaws laws = fitted(doublings(1, 2 + i % 7), [&](double) { return any(random); });
    for (size_t l = static_cast<size_t>(Law::kLogarithm); l < kLaws; l++)
      for (const double c :
           laws[l].law == Law::kPower || laws[l].law == Law::kLevel ? std::array<double, 3>{} : laws[l].c)
        ASSERT_GE(c, 0) << name_of(static_cast<Law>(l));
  }
}

// The best non-negative combination of two terms that a fine grid finds is not better than the one that was solved for.
TEST(Laws, NonNegativeFitIsTheBestOne) {
  const std::vector<double> x = doublings(1, 5);
  const std::vector<double> y = {10, 9, 5, 6, 2};  // falls: the logarithm's coefficient has to stop at 0
  const FittedLaw law = of(fit_laws(ScaleTable(x), y, std::vector<double>(5, 1.0)).back(), Law::kAmdahlLogarithm);
  const auto misfit = [&](double a, double b, double c) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); i++) {
      const double r = 1 - (a + b / x[i] + c * std::log2(x[i])) / y[i];
      sum += std::sqrt(x[i]) * r * r;
    }
    return sum;
  };
  const double solved = misfit(law.c[0], law.c[1], law.c[2]);
  for (double a = 0; a <= 6; a += 0.1)
    for (double b = 0; b <= 12; b += 0.1)
      for (double c = 0; c <= 2; c += 0.1) ASSERT_GE(misfit(a, b, c), solved - 1e-9) << a << " " << b << " " << c;
}

TEST(Laws, ScalesBelowOneHaveALogarithmToo) {
  // Work per process, D/P, is often below 1. log2 is then taken of 2 x / x_1, which is 1 at the smallest scale.
  const std::vector<double> x = {0.01, 0.02, 0.04, 0.08};
  const FittedLaw law = of(fitted(x, [](double v) { return 3 + 2 * std::log2(v * 200); }), Law::kLogarithm);
  EXPECT_NEAR(law.c[0], 3, 1e-9);
  EXPECT_NEAR(law.c[1], 2, 1e-9);
  EXPECT_EQ(formula_of(law, "x"), "3 + 2 log2(200 x)");
}

TEST(Laws, FormulasAreWhatWasFitted) {
  const auto text = [](Law law, const std::function<double(double)>& truth) {
    return formula_of(of(fitted(doublings(2, 7), truth), law), "np");
  };
  EXPECT_EQ(text(Law::kAmdahl, [](double p) { return 5 + 200 / p; }), "5 + 200 np^-1");
  EXPECT_EQ(text(Law::kAmdahl, [](double p) { return 200 / p; }), "200 np^-1");
  EXPECT_EQ(text(Law::kPowerLogarithm, [](double p) { return 1 + std::pow(std::log2(p), 2); }), "1 + 1 log2(np)^2");
  EXPECT_EQ(text(Law::kLevel, [](double) { return 4.0; }), "4");
  EXPECT_EQ(text(Law::kExponentialConstant, [](double p) { return 5 + 200 * std::exp(-0.05 * p); }),
            "5 + 200 exp(-0.05 np)");
}

// (g' (J'J)^-1 g)^(1/2) with the relative derivatives J by a, b and c at 2 ... 32 and g at 256, worked out apart from
// this program: what the value there is known to where each point has a relative error of 1.
TEST(FreeForm, KnowsHowFarItsOwnErrorReaches) {
  const ScaleTable scales(std::array{2.0, 4.0, 8.0, 16.0, 32.0});
  const auto error = [&](FreeForm form, const std::function<double(double)>& of) {
    std::vector<double> values;
    for (const double x : scales.x) values.push_back(of(x));
    return fit_free_form(form, scales, values, values.size())->error_at(256);
  };
  EXPECT_NEAR(error(FreeForm::kPower, [](double p) { return std::pow(p, -1.2) + 0.5; }), 1.2652, 1e-3);
  EXPECT_NEAR(error(FreeForm::kPower, [](double p) { return 3 * std::pow(p, -0.7) + 0.2; }), 5.2043, 1e-3);
  EXPECT_NEAR(error(FreeForm::kExponentialOfInverse, [](double p) { return 0.5 * std::exp(6 / p); }), 1.2127, 1e-3);
}

TEST(Laws, PriorsSumToOneOnEveryAxis) {
  for (const Axis axis : {Axis::kProcesses, Axis::kSize}) {
    double sum = 0;
    for (size_t l = 0; l < kLaws; l++) sum += prior_of(static_cast<Law>(l), axis);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

// The laws along processes are few: the others count there only where they are exact.
TEST(Laws, HalfOfThemAreForProblemSizesOnly) {
  for (const Law law : {Law::kShrunkPower, Law::kLogarithm, Law::kRoot, Law::kLinear, Law::kSurface,
                        Law::kPowerConstant, Law::kExponentialConstant, Law::kPowerLogarithm}) {
    EXPECT_EQ(prior_of(law, Axis::kProcesses), 0) << name_of(law);
    EXPECT_GT(prior_of(law, Axis::kSize), 0) << name_of(law);
  }
}

}  // namespace
}  // namespace scalediag::fit
