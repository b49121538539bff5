// Values that follow a hypothesis without noise give that hypothesis in every output; for values with noise the output
// says that an estimate is no single formula.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/statistics.h"
#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

struct ExactHypothesis {
  const char* formula;
  std::function<double(double)> of;
};

class ExactData : public testing::TestWithParam<ExactHypothesis> {};

TEST_P(ExactData, GivesItsHypothesis) {
  const Model m = fit(series_of(doublings(2, 5), GetParam().of)).value();
  EXPECT_EQ(m.formula(), GetParam().formula);
  EXPECT_TRUE(m.value_of_formula().is_value);
  EXPECT_EQ(m.value_of_formula().text(), "");
  EXPECT_FALSE(m.regime_change().has_value());
  const Alternative first = m.alternatives().front();
  EXPECT_EQ(first.formula, m.formula());
  EXPECT_GT(first.weight, 0);
  EXPECT_EQ(first.reason, "");
  for (const double p : {3.0, 64.0, 1024.0}) {
    const Estimate e = m.evaluate(std::array{p});
    EXPECT_NEAR(e.value / GetParam().of(p), 1, 1e-4) << p;
    EXPECT_LE(e.low, e.value);
    EXPECT_GE(e.high, e.value);
  }
}

// With p = 2, 4, 8, 16, 32; each has at least two points more than numbers that were chosen to fit.
INSTANTIATE_TEST_SUITE_P(
    Hypotheses, ExactData,
    testing::Values(ExactHypothesis{"3 log2(p)", [](double p) { return 3 * std::log2(p); }},
                    ExactHypothesis{"5 + 3 log2(p)", [](double p) { return 5 + 3 * std::log2(p); }},
                    ExactHypothesis{"7", [](double) { return 7.0; }},
                    ExactHypothesis{"100 p^-1", [](double p) { return 100 / p; }},
                    ExactHypothesis{"2 + 100 p^-1", [](double p) { return 2 + 100 / p; }},
                    ExactHypothesis{"2 + 100 p^-1 + 1 log2(p)", [](double p) { return 2 + 100 / p + std::log2(p); }},
                    ExactHypothesis{"3 p^-0.3", [](double p) { return 3 * std::pow(p, -0.3); }},
                    ExactHypothesis{"3 p^0.4", [](double p) { return 3 * std::pow(p, 0.4); }},
                    ExactHypothesis{"0.5 p log2(p)", [](double p) { return 0.5 * p * std::log2(p); }},
                    ExactHypothesis{"5 + 2 p^1.5", [](double p) { return 5 + 2 * std::pow(p, 1.5); }},
                    // Forms of Ding et al. with exponents that no list has.
                    ExactHypothesis{"0.5 + 2 p^-1.2", [](double p) { return 0.5 + 2 * std::pow(p, -1.2); }},
                    ExactHypothesis{"0.2 + 3 p^-0.7", [](double p) { return 0.2 + 3 * std::pow(p, -0.7); }},
                    ExactHypothesis{"0.5 exp(6 / p)", [](double p) { return 0.5 * std::exp(6 / p); }},
                    ExactHypothesis{"2 + 3 exp(-0.03 p)", [](double p) { return 2 + 3 * std::exp(-0.03 * p); }}));

// 20 - 2 log2(p) would be negative beyond p = 1024. Its slope is -1 at 2 / ln(2) = 2.885, where log2(p) = 8.557; from
// there on it goes on as 1 / p: at 1024 it is 2.885 x 2^(8.557 - 10) = 1.061.
TEST(ExactDataOfAFallingLogarithm, IsFollowedUntilItWouldFallFasterThanWorkIsDivided) {
  const Model m = fit(series_of(doublings(2, 5), [](double p) { return 20 - 2 * std::log2(p); })).value();
  EXPECT_EQ(m.formula(), "20 - 2 log2(p)");
  EXPECT_NEAR(m.value(std::array{256.0}), 4, 1e-4);
  EXPECT_NEAR(m.value(std::array{1024.0}), 1.061, 1e-3);
}

// An exponential that grows with the processes exceeds every bound; its five points still give a finite estimate.
TEST(ExactDataOfAGrowingExponential, IsNotContinued) {
  const Model m = fit(series_of(doublings(2, 5), [](double p) { return std::exp(0.1 * p); })).value();
  EXPECT_FALSE(m.value_of_formula().is_value);
  EXPECT_LT(m.value(std::array{1024.0}), 1e6);
}

TEST(ExactDataOfFewScales, IsNotTrustedBeyondItsUnknowns) {
  // Three points and the two unknowns of a + b log2(p): their agreement may be chance.
  const auto hypothesis = [](double p) { return 5 + 3 * std::log2(p); };
  EXPECT_FALSE(fit(series_of({2, 4, 8}, hypothesis)).value().value_of_formula().is_value);
  EXPECT_TRUE(fit(series_of({2, 4, 8, 16}, hypothesis)).value().value_of_formula().is_value);
}

TEST(ExactDataOfDividedWorkAndALoopOverRanks, RisesBeyondTheMinimum) {
  // The minimum lies at sqrt(10 / 0.01) = 32, and at 256 there are 10/256 + 2.56 = 2.599.
  const Model m = fit(series_of(doublings(2, 7), [](double p) { return 10 / p + 0.01 * p; })).value();
  EXPECT_NEAR(m.value(std::array{256.0}), 2.5990625, 1e-3);
}

TEST(ExactDataAfterAStep, FollowsItsHypothesisInTheNewRegime) {
  // 100/p, and three times that from 16 on; the step's place and size are two unknowns more than the hypothesis has.
  const auto hypothesis = [](double p) { return 100 / p * (p >= 16 ? 3 : 1); };
  const Model m = fit(series_of(doublings(1, 9), hypothesis)).value();
  EXPECT_TRUE(m.regime_change().has_value());
  EXPECT_EQ(m.formula(), "300 p^-1");
  EXPECT_NEAR(m.value(std::array{1024.0}) / hypothesis(1024), 1, 1e-4);
}

TEST(ValuesWithNoise, SayWhoseFormulaItIsAndHowMuchItCounts) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  const Model m =
      fit(series_of(doublings(2, 6), [&](double p) { return (100 / p + 1) * std::exp(noise(random)); })).value();
  const ValueOfFormula value = m.value_of_formula();
  EXPECT_FALSE(value.is_value);
  EXPECT_GT(value.hypotheses, 1);
  const Alternative first = m.alternatives().front();
  EXPECT_EQ(first.hypothesis, value.hypothesis);
  EXPECT_EQ(first.formula, m.formula());
  EXPECT_DOUBLE_EQ(first.weight, value.weight);
  EXPECT_EQ(first.reason, "");
  EXPECT_NE(value.text().find(std::to_string(value.hypotheses) + " hypotheses"), std::string::npos);
  EXPECT_NE(value.text().find(value.hypothesis), std::string::npos);
}

// Forms of Ding et al., single values with a noise of 1 % at 2 ... 32, asked for at 8 times the largest. Least squares
// of three unknowns know the value there to (g' (J'J)^-1 g)^(1/2) = 5.20 and 1.21 times the noise of a value (the last
// two), and half of normal errors are below 0.674 of their standard deviation. Twice that is left for other hypotheses
// that meet the points too. Of the first, Amdahl's law does in most cases, and is 3.3 % off there. Without the form the
// last two are 28 and 59 % off.
TEST(ValuesWithNoise, FollowTheFormOfThePaperThatMeetsWhatIsHeldOut) {
  struct Case {
    std::function<double(double)> of;
    double most;
  };
  const Case cases[] = {{[](double p) { return std::pow(p, -1.2) + 0.5; }, 0.033},
                        {[](double p) { return 3 * std::pow(p, -0.7) + 0.2; }, 2 * 0.674 * 0.0520},
                        {[](double p) { return 0.5 * std::exp(6 / p); }, 2 * 0.674 * 0.0121}};
  constexpr int kSeeds = 40;
  for (const Case& c : cases) {
    std::vector<double> missed;
    int held = 0;
    for (int seed = 0; seed < kSeeds; seed++) {
      std::mt19937 random(static_cast<unsigned>(seed));
      std::normal_distribution<double> noise(0, 0.01);
      const Model m = fit(series_of(doublings(2, 5), [&](double p) { return c.of(p) * (1 + noise(random)); })).value();
      const Estimate e = m.evaluate(std::array{256.0});
      missed.push_back(std::abs(e.value / c.of(256) - 1));
      held += e.low <= c.of(256) && c.of(256) <= e.high ? 1 : 0;
    }
    EXPECT_LT(core::median(missed), c.most);
    EXPECT_GE(held, 0.85 * kSeeds) << c.most;
  }
}

TEST(SeveralParametersFormula, IsToldToBeNoValueAndCurvesHaveFormulas) {
  Series s{{"p", "n"}, "time_s", "f", {}};
  for (const double n : {10.0, 20.0, 40.0, 80.0})
    for (const double p : doublings(2, 4)) s.observations.push_back({{p, n}, {n * n / p}});
  // No product passes through a point that is 1 % off; the curves of the largest n and the largest p do not hold it.
  s.observations.front().values = {50 * 1.01};
  const Model m = fit(s).value();
  EXPECT_FALSE(m.value_of_formula().is_value);
  EXPECT_EQ(m.value_of_formula().weight, 0);
  EXPECT_NE(m.value_of_formula().text().find("measured curves"), std::string::npos);
  const Alternative curves = m.alternatives().front();
  EXPECT_EQ(curves.hypothesis, "curves along each parameter");
  // n^2/p on the curves of the largest n, 80^2 / p, and of the largest p, n^2 / 16.
  EXPECT_EQ(curves.formula, "6400 p^-1 at n = 80; 0.0625 n^2 at p = 16");
}

// Peaks of memory in MB, of 16 + 8 MB a rank and 16 that MPI takes, give or take 1 %: checks of hypotheses from the
// first two points alone cannot see that. Known to be that accurate, the values have one source: the line's value at 64
// ranks is 32.9 + 8.43 * 64 = 572.
TEST(ExactData, UpToTheAccuracyThatIsKnown) {
  Series s{{"p"}, "memory", "all", {}};
  const double measured[] = {41.275392, 49.948672, 66.703360, 100.330496};
  for (int i = 0; i < 4; ++i) s.observations.push_back({{std::pow(2.0, i)}, {measured[i]}});
  FitOptions options;
  options.accuracy = 0.01;
  const Estimate known = fit(s, options).value().evaluate(std::array{64.0});
  EXPECT_NEAR(known.value, 572, 6);
  EXPECT_LE(known.low, 572);
  EXPECT_GE(known.high, 572);
}

}  // namespace
}  // namespace scalediag::fit
