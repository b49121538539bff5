// The statements of a model about itself.
#include "fit/curves/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "fit/curves/fit.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

Model fitted(const Series& s, const FitOptions& options = {}) { return fit(s, options).value(); }

TEST(Model, CarriesWhatItWasMadeFrom) {
  Series s = series_of(
      {2, 4, 8}, [](double p) { return 100 / p; }, "solve");
  s.observations[0].values = {49, 50, 51};
  const Model m = fitted(s);
  EXPECT_EQ(m.kernel(), "solve");
  EXPECT_EQ(m.metric(), "time_s");
  EXPECT_EQ(m.parameter_names(), std::vector<std::string>{"p"});
  EXPECT_EQ(m.points(), 3);
  EXPECT_EQ(m.values(), 5);
  EXPECT_NEAR(m.noise(), 0.02, 1e-9);  // 49, 50, 51: standard deviation 1 of 50
}

TEST(Model, FormulaAndCoefficientsAreOfTheLeadingMember) {
  const Model m = fitted(series_of(doublings(4, 6), [](double p) { return 1000 / p + 5; }));
  EXPECT_EQ(m.formula(), "5 + 1000 p^-1");
  ASSERT_EQ(m.coefficients().size(), 2u);
  EXPECT_EQ(m.coefficients()[0].term, "1");
  EXPECT_NEAR(m.coefficients()[0].value, 5, 1e-6);
  EXPECT_EQ(m.coefficients()[1].term, "p^-1");
  EXPECT_NEAR(m.coefficients()[1].value, 1000, 1e-3);
  EXPECT_EQ(m.alternatives().front().formula, m.formula());
}

TEST(Model, AlternativesAreOrderedAndTheRejectedHaveReasons) {
  const Model m = fitted(series_of(doublings(4, 6), [](double p) { return 1000 / p + 5; }));
  const std::vector<Alternative> all = m.alternatives();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const Alternative& a, const Alternative& b) { return a.weight > b.weight; }));
  int rejected = 0;
  for (const Alternative& a : all) {
    EXPECT_GE(a.weight, 0);
    EXPECT_EQ(a.weight == 0, !a.reason.empty()) << a.hypothesis;
    rejected += a.weight == 0 ? 1 : 0;
  }
  EXPECT_GT(rejected, 0);
  // A straight line cannot fall: without negative coefficients it is a constant, which misses by far.
  const auto linear =
      std::find_if(all.begin(), all.end(), [](const Alternative& a) { return a.hypothesis == "linear"; });
  ASSERT_NE(linear, all.end());
  EXPECT_NE(linear->reason.find("missed larger scales by"), std::string::npos);
  // The paper's own models are listed beside them.
  EXPECT_TRUE(
      std::any_of(all.begin(), all.end(), [](const Alternative& a) { return a.hypothesis == "power (Ding et al.)"; }));
}

TEST(Model, BehaviourIsTheExponentBeyondTheMeasurements) {
  const auto exponent = [](const std::function<double(double)>& hypothesis) {
    return fitted(series_of(doublings(4, 6), hypothesis)).behaviour(0);
  };
  const Behaviour falling = exponent([](double p) { return 1000 / p; });
  EXPECT_EQ(falling.trend, Trend::kDecreasing);
  EXPECT_NEAR(falling.exponent, -1, 0.05);
  const Behaviour growing = exponent([](double p) { return std::sqrt(p); });
  EXPECT_EQ(growing.trend, Trend::kGrowing);
  EXPECT_NEAR(growing.exponent, 0.5, 0.05);
  EXPECT_EQ(exponent([](double) { return 1.0; }).trend, Trend::kConstant);
  EXPECT_STREQ(name_of(Trend::kGrowing), "growing");
}

TEST(Model, BacktestIsWhatTheProcedureMissedAtTheScalesItKnows) {
  // Without noise, and simple: the fourth scale is predicted from three, and measured 100/16.
  const Model m = fitted(series_of({2, 4, 8, 16}, [](double p) { return 100 / p; }));
  const Backtest b = m.backtest();
  // Origins with 2 and 3 scales known: 2 -> 8 and 16, 3 -> 16.
  EXPECT_EQ(b.predictions, 3);
  EXPECT_EQ(b.measured_largest, 6.25);
  EXPECT_NEAR(b.predicted_largest, 6.25, 0.2);
  EXPECT_LT(b.median_error, 0.1);
}

TEST(Model, BacktestIsHonestWhereTheTrendTurns) {
  // Divided work that stops scaling between 8 and 16: 12.5 was to be expected to halve, and doubled instead.
  const Model m = fitted(series_of({2, 4, 8, 16}, [](double p) { return p < 16 ? 100 / p : 25; }));
  EXPECT_EQ(m.backtest().measured_largest, 25);
  EXPECT_LT(m.backtest().predicted_largest, 12.5);
  EXPECT_GT(m.backtest().mean_error, 0.3);
}

TEST(Model, NextRunIsALargerOneThatNarrowsTheInterval) {
  const Model m = fitted(series_of(doublings(2, 5), [](double p) { return 100 / p + 1; }));
  const auto next = m.next_run();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->at, std::vector<double>{64});
  EXPECT_NE(next->reason.find("a run at twice the largest p"), std::string::npos);
  EXPECT_NE(next->reason.find("narrows the interval at p = 256"), std::string::npos) << next->reason;
}

TEST(Model, NextRunRepeatsWhatIsNoisierThanHypothesesAreWrong) {
  Series s{{"p"}, "time_s", "f", {}};
  for (const double p : doublings(2, 6)) s.observations.push_back({{p}, {60.0, 100.0, 140.0}});
  const auto next = fitted(s).next_run();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->at, std::vector<double>{64});
  EXPECT_NE(next->reason.find("repeat it"), std::string::npos);
}

// Twice 1e308 is no number, and no machine has twice 1e9 processes; neither is repeated.
TEST(Model, NextRunIsNoneWhereNobodyCouldRunIt) {
  for (const double largest : {1e9, 1e308}) {
    const Model m = fitted(series_of({1, 1000, 1e6, largest}, [](double p) { return 10 + 5 / std::sqrt(p); }));
    EXPECT_FALSE(m.next_run().has_value()) << largest;
  }
}

// Divided work and a part that stays, 10000 / p + 1: the hypothesis is checked at hundreds of scales, and its weight
// stays a number. At 1000 it takes 11 s.
TEST(Model, HundredsOfScalesHaveWeights) {
  std::vector<double> scales;
  for (int p = 1; p <= 500; p++) scales.push_back(p);
  const Model m = fitted(series_of(scales, [](double p) { return 10000 / p + 1 + 0.01 * (static_cast<int>(p) % 3); }));
  const Estimate e = m.evaluate(std::vector{1000.0});
  EXPECT_NEAR(e.value, 11, 0.5);
  EXPECT_TRUE(std::isfinite(e.low) && std::isfinite(e.high) && e.low <= e.value && e.value <= e.high);
  double sum = 0;
  for (const Alternative& one : m.alternatives()) sum += one.weight;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Model, NextRunRepeatsASuspectLastScale) {
  const auto next = fitted(series_of(doublings(2, 6), [](double p) { return p == 64 ? 30 : 10.0; })).next_run();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->at, std::vector<double>{64});
  EXPECT_NE(next->reason.find("departs from the trend of the others"), std::string::npos);
}

TEST(Model, MeasuredScalesAreMet) {
  const Series s = series_of(doublings(2, 6), [](double p) { return 100 / p + 1; });
  const Model m = fitted(s);
  for (const Observation& o : s.observations) {
    const Estimate e = m.evaluate(o.at);
    EXPECT_NEAR(e.value, o.values.front(), 0.02 * o.values.front());
    EXPECT_LE(e.low, o.values.front());
    EXPECT_GE(e.high, o.values.front());
  }
}

TEST(Model, ValueIsTheEstimatesValue) {
  const Model m = fitted(series_of(doublings(2, 6), [](double p) { return 100 / p + std::log2(p); }));
  for (const double p : {1.0, 3.0, 64.0, 1000.0}) EXPECT_EQ(m.value(std::array{p}), m.evaluate(std::array{p}).value);
}

// What a process takes follows its work, by no hypothesis: 8 cells on 16 processes cost what 1, 2 and 4 cells do on 2,
// 4 and 8.
TEST(ProblemSize, OfSeveralValuesIsModelledOverTheWorkPerProcess) {
  const std::map<double, double> cost = {{4, 9}, {2, 4}, {1, 1.7}, {0.5, 1.1}, {0.25, 0.3}, {0.125, 0.25}};
  Series s{{"np", "cells"}, "time_s", "f", {}};
  for (const double cells : {1.0, 2.0, 4.0}) {
    for (const double p : {2.0, 4.0, 8.0}) s.observations.push_back({{p, cells}, {cost.at(cells / p)}});
  }
  const Model m = fitted(s, {.processes = "np", .size = "cells"});
  EXPECT_NEAR(m.evaluate(std::array{16.0, 8.0}).value, 1.1, 0.01);
  EXPECT_NEAR(m.evaluate(std::array{4.0, 4.0}).value, 1.7, 0.01);
  EXPECT_NE(m.formula().find("(1 np / cells)"), std::string::npos) << m.formula();
}

// Declared as the problem size and measured at one value, D = 1000: the cost of 1000 cells a process is known from D =
// 1000 on 1 process, so that D = 64000 on 64 processes costs the same, 1000 units.
TEST(ProblemSize, OfOneValueIsScaledByTheWorkPerProcess) {
  Series s{{"np", "cells"}, "time_s", "f", {}};
  for (const double p : doublings(1, 6)) s.observations.push_back({{p, 1000}, {1000 / p}});
  const Model m = fitted(s, {.processes = "np", .size = "cells"});
  EXPECT_NEAR(m.evaluate(std::array{64.0, 64000.0}).value, 1000, 20);
  EXPECT_NEAR(m.evaluate(std::array{8.0, 2000.0}).value, 250, 5);
  // It is an assumption, so the interval is wider than at a measured size, and a note says so.
  const auto width = [&](double p, double cells) {
    const Estimate e = m.evaluate(std::array{p, cells});
    return e.high / e.low;
  };
  EXPECT_GT(width(32, 64000), width(32, 1000));
  ASSERT_FALSE(m.notes().empty());
  EXPECT_NE(m.notes().front().find("cells was measured at one value"), std::string::npos);
  EXPECT_EQ(m.formula(), "1000 (1000 np / cells)^-1");
  // The cost grows with the size as it falls with the processes.
  EXPECT_NEAR(m.behaviour(1).exponent, 1, 0.05);
}

}  // namespace
}  // namespace scalediag::fit
