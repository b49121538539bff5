#include "fit/curves/hypotheses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "fit/curves/formula.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

FittedHypotheses fitted(const std::vector<double>& x, const std::function<double(double)>& hypothesis) {
  std::vector<double> y;
  for (const double v : x) y.push_back(hypothesis(v));
  return fit_hypotheses(ScaleTable(x), y, std::vector<double>(x.size(), 1.0)).back();
}

const FittedHypothesis& of(const FittedHypotheses& hypotheses, Hypothesis hypothesis) {
  return hypotheses[static_cast<size_t>(hypothesis)];
}

double value(const FittedHypothesis& hypothesis, double x) { return std::exp(hypothesis.log_value(x, std::log(x))); }

struct Known {
  Hypothesis hypothesis;
  std::function<double(double)> truth;
  std::vector<double> coefficients;
};

// Every hypothesis, fitted to exact values of itself, gives its own coefficients and its value at 64 times the largest
// scale. Coefficients are those in `truth`.
TEST(Hypotheses, EachRecoversItsOwn) {
  const std::vector<Known> all = {
      {Hypothesis::kLogarithm, [](double p) { return 5 + 2 * std::log2(p); }, {5, 2}},
      {Hypothesis::kRoot, [](double p) { return 5 + 2 * std::sqrt(p); }, {5, 2}},
      {Hypothesis::kLinear, [](double p) { return 5 + 2 * p; }, {5, 2}},
      {Hypothesis::kAmdahl, [](double p) { return 5 + 200 / p; }, {5, 200}},
      {Hypothesis::kSurface, [](double p) { return 5 + 200 * std::pow(p, -2.0 / 3); }, {5, 200}},
      {Hypothesis::kHalf, [](double p) { return 5 + 200 / std::sqrt(p); }, {5, 200}},
      {Hypothesis::kAmdahlLinear, [](double p) { return 5 + 200 / p + 2 * p; }, {5, 200, 2}},
      {Hypothesis::kAmdahlLogarithm, [](double p) { return 5 + 200 / p + 2 * std::log2(p); }, {5, 200, 2}},
      {Hypothesis::kHalfLogarithm, [](double p) { return 5 + 200 / std::sqrt(p) + 2 * std::log2(p); }, {5, 200, 2}},
      {Hypothesis::kPowerConstant, [](double p) { return 5 + 2 * std::pow(p, 0.35); }, {5, 2}},
      {Hypothesis::kExponentialConstant, [](double p) { return 5 + 200 * std::exp(-0.1 * p / 2); }, {5, 200}},
      {Hypothesis::kPowerLogarithm, [](double p) { return 5 + 2 * p * std::log2(p); }, {5, 2}},
  };
  for (const Known& k : all) {
    const FittedHypothesis hypothesis = of(fitted(doublings(2, 7), k.truth), k.hypothesis);
    SCOPED_TRACE(name_of(k.hypothesis));
    for (size_t i = 0; i < k.coefficients.size(); i++)
      EXPECT_NEAR(hypothesis.c[i], k.coefficients[i], 1e-6 * k.coefficients[i]);
    EXPECT_NEAR(value(hypothesis, 8192), k.truth(8192), 1e-6 * k.truth(8192));
  }
}

TEST(Hypotheses, PowersFindTheExponentAndTheirVariantsHoldBack) {
  const FittedHypotheses hypotheses = fitted(doublings(2, 6), [](double p) { return 7 * std::pow(p, 0.4); });
  // The plain one is drawn towards 0 by a twentieth of the last point's weight, which is 0.3 % here.
  EXPECT_NEAR(of(hypotheses, Hypothesis::kPower).exponent, 0.4, 0.4 * 0.02);
  EXPECT_LT(of(hypotheses, Hypothesis::kShrunkPower).exponent, of(hypotheses, Hypothesis::kPower).exponent);
  EXPECT_NEAR(of(hypotheses, Hypothesis::kDampedPower).exponent, 0.4, 1e-9);
  // Halved beyond the last scale, 64: from 64 to 256 the factor is 4^0.2.
  EXPECT_NEAR(
      value(of(hypotheses, Hypothesis::kDampedPower), 256) / value(of(hypotheses, Hypothesis::kDampedPower), 64),
      std::pow(4, 0.2), 1e-9);
  EXPECT_NEAR(of(hypotheses, Hypothesis::kDrift).exponent, 0.2, 1e-9);
  EXPECT_NEAR(of(hypotheses, Hypothesis::kLevel).exponent, 0, 0);
}

TEST(Hypotheses, CoefficientsOfSumsAreNeverNegative) {
  std::mt19937 random(4);
  std::lognormal_distribution<double> any(0, 2);
  for (int i = 0; i < 2000; i++) {
    const FittedHypotheses hypotheses = fitted(doublings(1, 2 + i % 7), [&](double) { return any(random); });
    for (size_t l = static_cast<size_t>(Hypothesis::kLogarithm); l < kHypotheses; l++)
      for (const double c :
           hypotheses[l].hypothesis == Hypothesis::kPower || hypotheses[l].hypothesis == Hypothesis::kLevel
               ? std::array<double, 3>{}
               : hypotheses[l].c)
        ASSERT_GE(c, 0) << name_of(static_cast<Hypothesis>(l));
  }
}

// The best non-negative combination of two terms that a fine grid finds is not better than the one that was solved for.
TEST(Hypotheses, NonNegativeFitIsTheBestOne) {
  const std::vector<double> x = doublings(1, 5);
  const std::vector<double> y = {10, 9, 5, 6, 2};  // falls: the logarithm's coefficient has to stop at 0
  const FittedHypothesis hypothesis =
      of(fit_hypotheses(ScaleTable(x), y, std::vector<double>(5, 1.0)).back(), Hypothesis::kAmdahlLogarithm);
  const auto misfit = [&](double a, double b, double c) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); i++) {
      const double r = 1 - (a + b / x[i] + c * std::log2(x[i])) / y[i];
      sum += std::sqrt(x[i]) * r * r;
    }
    return sum;
  };
  const double solved = misfit(hypothesis.c[0], hypothesis.c[1], hypothesis.c[2]);
  for (double a = 0; a <= 6; a += 0.1)
    for (double b = 0; b <= 12; b += 0.1)
      for (double c = 0; c <= 2; c += 0.1) ASSERT_GE(misfit(a, b, c), solved - 1e-9) << a << " " << b << " " << c;
}

TEST(Hypotheses, ScalesBelowOneHaveALogarithmToo) {
  // Work per process, D/P, is often below 1. log2 is then taken of 2 x / x_1, which is 1 at the smallest scale.
  const std::vector<double> x = {0.01, 0.02, 0.04, 0.08};
  const FittedHypothesis hypothesis =
      of(fitted(x, [](double v) { return 3 + 2 * std::log2(v * 200); }), Hypothesis::kLogarithm);
  EXPECT_NEAR(hypothesis.c[0], 3, 1e-9);
  EXPECT_NEAR(hypothesis.c[1], 2, 1e-9);
  EXPECT_EQ(formula_of(hypothesis, "x"), "3 + 2 log2(200 x)");
}

TEST(Hypotheses, FormulasAreWhatWasFitted) {
  const auto text = [](Hypothesis hypothesis, const std::function<double(double)>& truth) {
    return formula_of(of(fitted(doublings(2, 7), truth), hypothesis), "np");
  };
  EXPECT_EQ(text(Hypothesis::kAmdahl, [](double p) { return 5 + 200 / p; }), "5 + 200 np^-1");
  EXPECT_EQ(text(Hypothesis::kAmdahl, [](double p) { return 200 / p; }), "200 np^-1");
  EXPECT_EQ(text(Hypothesis::kPowerLogarithm, [](double p) { return 1 + std::pow(std::log2(p), 2); }),
            "1 + 1 log2(np)^2");
  EXPECT_EQ(text(Hypothesis::kLevel, [](double) { return 4.0; }), "4");
  EXPECT_EQ(text(Hypothesis::kExponentialConstant, [](double p) { return 5 + 200 * std::exp(-0.05 * p); }),
            "5 + 200 exp(-0.05 np)");
}

TEST(Hypotheses, PriorsSumToOneOnEveryAxis) {
  for (const Axis axis : {Axis::kProcesses, Axis::kSize}) {
    double sum = 0;
    for (size_t l = 0; l < kHypotheses; l++) sum += prior_of(static_cast<Hypothesis>(l), axis);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

// The parts of the families are 2, 2, 1 and 1: of six, eight powers share two, so that each of them has 1/24.
TEST(Hypotheses, FamiliesShareTheirPartOfThePrior) {
  EXPECT_NEAR(prior_of(Hypothesis::kLevel, Axis::kSize), 1. / 3, 1e-12);
  EXPECT_NEAR(prior_of(Hypothesis::kAmdahl, Axis::kSize), 1. / 24, 1e-12);
  EXPECT_NEAR(prior_of(Hypothesis::kLinear, Axis::kSize), 1. / 18, 1e-12);
  EXPECT_NEAR(prior_of(Hypothesis::kAmdahlLinear, Axis::kSize), 1. / 36, 1e-12);
  // Along the processes those that have no say leave their share to all others: 2 + 6/4 + 3/6 = 4 parts.
  EXPECT_NEAR(prior_of(Hypothesis::kLevel, Axis::kProcesses), 1. / 2, 1e-12);
  EXPECT_NEAR(prior_of(Hypothesis::kAmdahl, Axis::kProcesses), 1. / 16, 1e-12);
}

// The hypotheses along processes are few: the others count there only where they are exact.
TEST(Hypotheses, HalfOfThemAreForProblemSizesOnly) {
  for (const Hypothesis hypothesis :
       {Hypothesis::kShrunkPower, Hypothesis::kLogarithm, Hypothesis::kRoot, Hypothesis::kLinear, Hypothesis::kSurface,
        Hypothesis::kPowerConstant, Hypothesis::kExponentialConstant, Hypothesis::kPowerLogarithm}) {
    EXPECT_EQ(prior_of(hypothesis, Axis::kProcesses), 0) << name_of(hypothesis);
    EXPECT_GT(prior_of(hypothesis, Axis::kSize), 0) << name_of(hypothesis);
  }
}

}  // namespace
}  // namespace scalediag::fit
