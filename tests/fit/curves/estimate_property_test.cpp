// Estimates are finite, not negative and within their interval, whatever the measurements and targets are.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"

namespace scalediag::fit {
namespace {

class Fuzz {
 public:
  explicit Fuzz(unsigned seed) : random_(seed) {}

  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  int whole(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  bool sometimes(double share) { return uniform(0, 1) < share; }

  // Series from hypotheses of programs to nonsense: trends of any steepness, jumps, spikes, zeros, bad values, repeated
  // points.
  Series series() {
    const int parameters = sometimes(0.7) ? 1 : whole(2, 3);
    Series s{{}, "time_s", "f", {}};
    for (int d = 0; d < parameters; d++) s.parameter_names.push_back(std::string(1, "pnm"[d]));
    const double factor = std::pow(10, uniform(-9, 9));
    std::array<double, 3> exponents{};
    for (double& e : exponents) e = uniform(-4, 4);
    const double noise = sometimes(0.5) ? 0 : std::pow(10, uniform(-3, 0.5));
    const double jump_at = uniform(1, 1000);
    const double jump = sometimes(0.3) ? std::pow(10, uniform(-3, 3)) : 1;
    const int points = whole(2, parameters == 1 ? 12 : 24);
    double scale = std::pow(2, whole(-6, 8));
    for (int i = 0; i < points; i++) {
      Observation o;
      scale *= sometimes(0.8) ? 2 : uniform(1.001, 3);
      o.at.push_back(parameters == 1 ? scale : std::pow(2, whole(0, 6)));
      for (int d = 1; d < parameters; d++) o.at.push_back(std::pow(sometimes(0.9) ? 2 : 2.1, whole(0, 4)));
      double value = factor * (o.at[0] > jump_at ? jump : 1);
      for (size_t d = 0; d < o.at.size(); d++) value *= std::pow(o.at[d], exponents[d]);
      for (int r = whole(0, 4); r >= 0; r--) o.values.push_back(value * std::exp(noise * uniform(-1, 1)) * spike());
      s.observations.push_back(std::move(o));
    }
    return s;
  }

 private:
  double spike() {
    if (sometimes(0.97)) return 1;
    constexpr std::array kSpikes = {0.0, -1.0, 1e-6, 1e6, HUGE_VAL};
    return kSpikes[static_cast<size_t>(whole(0, kSpikes.size() - 1))];
  }

  std::mt19937 random_;
};

::testing::AssertionResult possible(const Model& model, const std::vector<double>& at) {
  const Estimate e = model.evaluate(at);
  if (std::isfinite(e.value) && std::isfinite(e.low) && std::isfinite(e.high) && e.low >= 0 && e.low <= e.value &&
      e.value <= e.high)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << e.value << " in [" << e.low << ", " << e.high << "]";
}

std::string text_of(const Series& s) {
  std::ostringstream text;
  text.precision(17);
  for (const Observation& o : s.observations) {
    for (const double x : o.at) text << x << ' ';
    text << ':';
    for (const double v : o.values) text << ' ' << v;
    text << '\n';
  }
  return text.str();
}

void expect_possible_everywhere(const Model& model, std::vector<double> at) {
  const std::vector<double> from = at;
  for (size_t d = 0; d < at.size(); d++) {
    for (double factor = 1e-3; factor <= 1e3; factor *= 3.7) {
      at[d] = from[d] * factor;
      ASSERT_TRUE(possible(model, at)) << "parameter " << d << " at " << at[d];
    }
    at[d] = from[d];
  }
  for (double& x : at) x *= 1000;
  ASSERT_TRUE(possible(model, at)) << "all at 1000 times";
}

TEST(Estimates, AreAlwaysPossible) {
  Fuzz fuzz(2018);
  int models = 0;
  for (int program = 0; program < 300; program++) {
    std::vector<Series> series;
    const int kernels = fuzz.whole(1, 8);
    for (int k = 0; k < kernels; k++) series.push_back(fuzz.series());
    FitOptions options;
    options.level = fuzz.uniform(0.5, 0.99);
    const auto fitted = fit_all(series, options);
    ASSERT_EQ(fitted.size(), series.size());
    for (size_t k = 0; k < fitted.size(); k++) {
      if (!fitted[k].ok()) {
        EXPECT_FALSE(fitted[k].error().message.empty());
        continue;
      }
      models += 1;
      const Model& m = fitted[k].value();
      for (const Observation& o : series[k].observations) {
        expect_possible_everywhere(m, o.at);
        if (HasFatalFailure()) FAIL() << "program " << program << ", kernel " << k << ":\n" << text_of(series[k]);
      }
    }
  }
  EXPECT_GT(models, 1000);  // else the fuzzer makes nothing that can be modelled
}

// The descriptions of models must not fail either, and numbers in them have to be finite.
TEST(Estimates, ModelsOfNonsenseCanStillExplainThemselves) {
  Fuzz fuzz(7);
  for (int i = 0; i < 300; i++) {
    const auto fitted = fit(fuzz.series());
    if (!fitted.ok()) continue;
    const Model& m = fitted.value();
    EXPECT_FALSE(m.formula().empty());
    EXPECT_EQ(m.formula().find("nan"), std::string::npos) << m.formula();
    EXPECT_EQ(m.formula().find("inf"), std::string::npos) << m.formula();
    for (const Alternative& a : m.alternatives()) {
      EXPECT_TRUE(std::isfinite(a.backtest_error)) << a.hypothesis;
      EXPECT_TRUE(a.weight >= 0 && a.weight <= 1) << a.hypothesis;
    }
    EXPECT_TRUE(std::isfinite(m.behaviour(0).exponent));
    EXPECT_TRUE(std::isfinite(m.backtest().mean_error));
    m.next_run();
    m.regime_change();
  }
}

}  // namespace
}  // namespace scalediag::fit
