#include "fit/curves/steady.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/data/observations.h"

namespace scalediag::fit {
namespace {

// One value at 2, 4, 8, ... processes.
Series doubled(const std::vector<double>& values) {
  Series s{{"np"}, "seconds_per_instruction", "f", {}};
  double np = 1;
  for (const double v : values) s.observations.push_back({{np *= 2}, {v}});
  return s;
}

TEST(SteadyLevel, IsTheGeometricMeanWhereNoiseExplainsTheSlope) {
  const auto level = steady_level(doubled({1.03, 0.98, 1.01, 0.99, 1.02}), 0);
  ASSERT_TRUE(level);
  EXPECT_NEAR(*level, std::pow(1.03 * 0.98 * 1.01 * 0.99 * 1.02, 0.2), 1e-12);
}

TEST(SteadyLevel, IsNoneWhereThereIsATrend) {
  // 5 % a doubling, with 1 % of noise: the slope is 0.05 +- 0.004 a doubling, more than ten times its error.
  EXPECT_FALSE(steady_level(doubled({1.00, 1.06, 1.10, 1.17, 1.21}), 0));
}

TEST(SteadyLevel, IsNoneAfterAStep) {
  // Half from the fifth scale on. Its scatter would hide the slope.
  EXPECT_FALSE(steady_level(doubled({1, 1, 1, 1, 0.5}), 0));
}

TEST(SteadyLevel, OfThreeScalesNeedsNoiseThatIsKnown) {
  const Series three = doubled({1.00, 1.01, 1.02});
  EXPECT_FALSE(steady_level(three, 0));
  // The slope is 0.01 a doubling; with 2 % a point it has an error of 0.02 / sqrt(2) = 0.014 a doubling.
  EXPECT_TRUE(steady_level(three, 0.02));
  // With 0.2 % a point, 0.0014.
  EXPECT_FALSE(steady_level(three, 0.002));
}

TEST(SteadyLevel, RepeatsTellTheNoise) {
  Series three = doubled({1.00, 1.01, 1.02});
  for (Observation& o : three.observations) o.values = {0.96 * o.values[0], o.values[0], 1.04 * o.values[0]};
  EXPECT_TRUE(steady_level(three, 0));
}

TEST(SteadyLevel, IsNoneWhereAnotherParameterVaries) {
  Series s{{"np", "n"}, "seconds_per_instruction", "f", {}};
  for (const double n : {10.0, 20.0})
    for (const double np : {2.0, 4.0, 8.0}) s.observations.push_back({{np, n}, {1}});
  EXPECT_FALSE(steady_level(s, 0.01));
  EXPECT_FALSE(steady_level(doubled({1, 0, 1, 1}), 0.01));
}

}  // namespace
}  // namespace scalediag::fit
