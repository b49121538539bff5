#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "tests/fit/curves/series_of.h"

namespace scalediag::fit {
namespace {

TEST(FitAll, GivesTheSameWithAnyNumberOfThreads) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  std::vector<Series> series;
  for (int k = 0; k < 300; k++)
    series.push_back(
        series_of(doublings(2, 7), [&](double p) { return (100.0 / p + k % 5) * std::exp(noise(random)); }));
  FitOptions one, many;
  one.threads = 1;
  many.threads = 5;
  const auto a = fit_all(series, one), b = fit_all(series, many);
  for (size_t i = 0; i < series.size(); i++) {
    const Estimate x = a[i].value().evaluate(std::array{1024.0}), y = b[i].value().evaluate(std::array{1024.0});
    EXPECT_EQ(x.value, y.value);
    EXPECT_EQ(x.low, y.low);
    EXPECT_EQ(x.high, y.high);
    EXPECT_EQ(a[i].value().formula(), b[i].value().formula());
  }
}

}  // namespace
}  // namespace scalediag::fit
