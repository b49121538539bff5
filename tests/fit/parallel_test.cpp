#include "fit/parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "fit/model.h"
#include "tests/fit/series_of.h"

namespace scalediag::fit {
namespace {

TEST(InParallel, VisitsEveryIndexOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{1000}}) {
      std::vector<int> visits(count, 0);
      in_parallel(count, threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; i++) visits[i] += 1;
      });
      EXPECT_EQ(visits, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(InParallel, PassesAnExceptionOn) {
  const auto fails = [](size_t begin, size_t end) {
    if (begin <= 500 && 500 < end) throw std::runtime_error("one piece failed");
  };
  EXPECT_THROW(in_parallel(1000, 4, fails), std::runtime_error);
}

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
