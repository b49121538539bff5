// Series that cannot, or can hardly, be modelled: each case has one defined outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool has_note(const Model& m, const std::string& part) {
  return std::any_of(m.notes().begin(), m.notes().end(),
                     [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

double at(const Model& m, double p) { return m.evaluate(std::array{p}).value; }

TEST(BadInput, OneScaleIsRefusedWithWhatIsNeededAndWhatHolds) {
  const auto m = fit(series_of({8}, [](double) { return 3.5; }));
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.error().code, core::ErrorCode::kInput);
  EXPECT_EQ(m.error().message, "only one configuration was measured (p = 8)");
  EXPECT_NE(m.error().hint.find("second scale to see a trend and a third to check it"), std::string::npos);
  EXPECT_NE(m.error().hint.find("3.5 holds there and nowhere else"), std::string::npos);
  EXPECT_EQ(m.error().where, "kernel, time_s");
}

TEST(BadInput, TwoScalesMakeAModelThatSaysItIsUnchecked) {
  const auto m = fit(series_of({8, 16}, [](double p) { return 100 / p; }));
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(has_note(m.value(), "only 2 scales: the trend could not be checked; measure 3 or more"));
  EXPECT_EQ(m.value().backtest().predictions, 0);
  // The interval at 64 is wider than with a third scale that agrees.
  const auto checked = fit(series_of({8, 16, 32}, [](double p) { return 100 / p; }));
  const auto width = [](const Model& model, double p) {
    const Estimate e = model.evaluate(std::array{p});
    return e.high / e.low;
  };
  EXPECT_GT(width(m.value(), 64), width(checked.value(), 128));
}

TEST(BadInput, NothingUsableIsRefused) {
  const auto none = fit(Series{{"p"}, "time_s", "f", {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "no usable value was measured");
  const auto nan = fit(series_of({2, 4, 8}, [](double) { return kNan; }));
  ASSERT_FALSE(nan.ok());
  EXPECT_EQ(nan.error().message, "no usable value was measured");
  const auto negative = fit(series_of({2, 4, 8}, [](double) { return -1.0; }));
  EXPECT_FALSE(negative.ok());
}

TEST(BadInput, ASeriesWithoutParametersIsRefused) {
  const auto m = fit(Series{{}, "time_s", "f", {{{}, {1}}}});
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.error().message, "the series has no parameter");
}

TEST(BadInput, AnUnknownParameterIsNamedWithTheKnownOnes) {
  const Series s = series_of({2, 4, 8}, [](double p) { return p; });
  for (const FitOptions& options :
       {FitOptions{.processes = "np", .size = ""}, FitOptions{.processes = "", .size = "np"}}) {
    const auto m = fit(s, options);
    ASSERT_FALSE(m.ok());
    EXPECT_EQ(m.error().code, core::ErrorCode::kUsage);
    EXPECT_EQ(m.error().message, "there is no parameter 'np'");
    EXPECT_EQ(m.error().hint, "the parameters are p");
  }
}

TEST(BadInput, AllZeroIsZeroEverywhere) {
  const auto m = fit(series_of({2, 4, 8}, [](double) { return 0.0; }));
  ASSERT_TRUE(m.ok());
  const Estimate e = m.value().evaluate(std::array{1024.0});
  EXPECT_EQ(e.value, 0);
  EXPECT_EQ(e.high, 0);
  EXPECT_EQ(m.value().formula(), "0");
  EXPECT_TRUE(m.value().coefficients().empty());
  EXPECT_TRUE(has_note(m.value(), "all values are 0"));
  EXPECT_EQ(m.value().behaviour(0).trend, Trend::kConstant);
  EXPECT_FALSE(m.value().next_run().has_value());
}

TEST(BadInput, AllZeroAtOneScaleIsZeroToo) {
  const auto m = fit(series_of({8}, [](double) { return 0.0; }));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(at(m.value(), 64), 0);
}

TEST(BadInput, ConstantStaysConstantWithANarrowInterval) {
  const auto m = fit(series_of(doublings(2, 5), [](double) { return 42.0; }));
  ASSERT_TRUE(m.ok());
  const Estimate e = m.value().evaluate(std::array{32768.0});
  EXPECT_NEAR(e.value, 42, 42e-6);
  EXPECT_LT(e.high / e.low, 2);
  EXPECT_EQ(m.value().behaviour(0).trend, Trend::kConstant);
}

TEST(BadInput, NanAndNegativeValuesAmongGoodOnesChangeNothing) {
  const auto hypothesis = [](double p) { return 100 / p + 1; };
  const auto clean = fit(series_of(doublings(2, 5), hypothesis));
  Series dirty = series_of(doublings(2, 5), hypothesis);
  dirty.observations[1].values.push_back(kNan);
  dirty.observations[2].values.push_back(-5);
  dirty.observations.push_back({{kNan}, {1}});
  dirty.observations.push_back({{0}, {1}});
  const auto m = fit(dirty);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(at(m.value(), 256), at(clean.value(), 256));
  EXPECT_TRUE(has_note(m.value(), "2 values are not a number, infinite or negative: left out"));
  EXPECT_TRUE(has_note(m.value(), "2 configurations have parameters that are not positive numbers: left out"));
}

TEST(BadInput, DuplicatePointsAreRepeats) {
  Series s = series_of({2, 4, 8}, [](double p) { return 8 / p; });
  s.observations.push_back({{4}, {2.2}});
  s.observations.push_back({{4}, {1.8}});
  const auto m = fit(s);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value().points(), 3);
  EXPECT_EQ(m.value().values(), 5);
  // Of 2: deviations 0, 0.1 and -0.1, squares 0.02 over n - 1 = 2.
  EXPECT_NEAR(m.value().noise(), 0.1, 1e-9);
}

TEST(BadInput, ScalesMayStandInAnyOrder) {
  const auto hypothesis = [](double p) { return 100 / p + std::log2(p); };
  const auto rising = fit(series_of({2, 4, 8, 16}, hypothesis));
  const auto mixed = fit(series_of({16, 2, 8, 4}, hypothesis));
  EXPECT_EQ(at(rising.value(), 256), at(mixed.value(), 256));
}

TEST(BadInput, OneBadRepeatMovesNothing) {
  const auto with_repeats = [](double bad) {
    Series s{{"p"}, "time_s", "f", {}};
    for (const double p : doublings(2, 5)) {
      const double v = 100 / p;
      s.observations.push_back({{p}, {0.99 * v, v, 1.01 * v}});
    }
    s.observations[4].values[2] *= bad;
    return fit(s);
  };
  const auto clean = with_repeats(1);
  const auto bad = with_repeats(50);
  ASSERT_TRUE(bad.ok());
  EXPECT_NEAR(at(bad.value(), 256) / at(clean.value(), 256), 1, 0.05);
}

TEST(BadInput, AKernelThatIsMissingAtSomeScalesIsModelledFromTheOthers) {
  const auto hypothesis = [](double p) { return 100 / p; };
  const std::vector<Series> program = {series_of(doublings(2, 6), hypothesis, "always"),
                                       series_of({2, 8, 64}, hypothesis, "sometimes"),
                                       series_of({32}, hypothesis, "once"), series_of({}, hypothesis, "never")};
  const auto models = fit_all(program);
  ASSERT_EQ(models.size(), 4u);
  ASSERT_TRUE(models[0].ok());
  ASSERT_TRUE(models[1].ok());
  EXPECT_EQ(models[1].value().points(), 3);
  EXPECT_NEAR(at(models[1].value(), 128), 100.0 / 128, 0.1 * 100 / 128);
  EXPECT_FALSE(models[2].ok());
  EXPECT_FALSE(models[3].ok());
  EXPECT_EQ(models[3].error().where, "never, time_s");
}

TEST(BadInput, AParameterThatDoesNotVaryIsNamed) {
  Series s{{"n", "p"}, "time_s", "f", {}};
  for (const double p : {2.0, 4.0, 8.0}) s.observations.push_back({{100, p}, {8 / p}});
  const auto m = fit(s);
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(has_note(m.value(), "n does not vary: its influence is not known"));
  EXPECT_EQ(m.value().evaluate(std::array{100.0, 16.0}).value, m.value().evaluate(std::array{200.0, 16.0}).value);
}

TEST(BadInput, ExtremeMagnitudesStayFinite) {
  for (const double unit : {1e-300, 1e-30, 1e30, 1e300}) {
    const auto m = fit(series_of(doublings(2, 5), [unit](double p) { return unit * p; }));
    ASSERT_TRUE(m.ok());
    for (const double p : {1.0, 64.0, 1e6}) {
      const Estimate e = m.value().evaluate(std::array{p});
      EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.high)) << unit << " at " << p;
      EXPECT_TRUE(0 <= e.low && e.low <= e.value && e.value <= e.high) << unit << " at " << p;
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
