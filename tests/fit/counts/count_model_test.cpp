#include "fit/counts/count_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/equations/process_grid.h"
#include "fit/curves/fit.h"

namespace scalediag::fit {
namespace {

CountModel fitted(const std::vector<int>& scales, double (*count)(int)) {
  Series series{{"np"}, "calls", "MPI_Send", {}};
  for (const int np : scales) series.observations.push_back({{static_cast<double>(np)}, {count(np)}});
  FitOptions options;
  options.processes = "np";
  auto model = fit_count(series, options);
  EXPECT_TRUE(model.ok());
  return std::move(model).value();
}

// A message each way along each side of a periodic grid that is cut, 410 times: 1, 2, 3 of them at 2, 4, 8, where a
// butterfly has log2(P) as well; 3 at 1024 = 16 x 8 x 8, where a butterfly has 10.
double halo(int np) {
  double sides = 0;
  for (const int n : core::process_grid(np, 3)) sides += n > 1 ? 1 : 0;
  return 410.0 * np * sides;
}

TEST(CountModel, ThreeScalesDoNotDecideBetweenHypothesesThatMeetThem) {
  const CountModel three = fitted({2, 4, 8}, halo);
  EXPECT_TRUE(three.has_few_scales());
  const Estimate at_1024 = three.evaluate(std::vector<double>{1024});
  EXPECT_LE(at_1024.low, 410.0 * 1024 * 3);
  EXPECT_GE(at_1024.high, 410.0 * 1024 * 10);
}

TEST(CountModel, ThreeScalesAreNoProofOfTheOnlyHypothesisThatMeetsThem) {
  const Estimate three = fitted({2, 4, 8}, [](int np) { return 800.0 * np; }).evaluate(std::vector<double>{1024});
  EXPECT_DOUBLE_EQ(three.value, 819200);
  EXPECT_LT(three.low, 0.99 * three.value);
  EXPECT_GT(three.high, 1.01 * three.value);
  // A single process has no partner, so that it is no fourth scale.
  EXPECT_TRUE(fitted({1, 2, 4, 8}, [](int np) { return np > 1 ? 20.0 * np : 0.0; }).has_few_scales());
}

// What a rank sends to each other one: two points more than the hypothesis has terms, of grids that differ from
// butterflies.
TEST(CountModel, ThreeScalesThatAreNotAllPowersOfTwoProveALawOfOneTerm) {
  const CountModel sends = fitted({2, 3, 4}, [](int np) { return 3000.0 * (np - 1); });
  EXPECT_FALSE(sends.has_few_scales());
  const Estimate at_1024 = sends.evaluate(std::vector<double>{1024});
  EXPECT_DOUBLE_EQ(at_1024.low, 3000.0 * 1023);
  EXPECT_DOUBLE_EQ(at_1024.high, 3000.0 * 1023);
  // Two terms meet three points with one to spare.
  EXPECT_TRUE(fitted({2, 3, 4}, [](int np) { return 3000.0 * (np - 1) + 70.0 * np * np; }).has_few_scales());
}

// Four scales of 800 calls a rank, extended from some iterations: within kNearly, as if they had been seen to vary.
TEST(CountModel, CountsOfEndedRunsAreNotExact) {
  Series series{{"np"}, "calls", "MPI_Send", {}, true};
  for (const double np : {2, 4, 8, 16}) series.observations.push_back({{np}, {800 * np}});
  FitOptions options;
  options.processes = "np";
  const auto model = fit_count(series, options);
  ASSERT_TRUE(model.ok());
  EXPECT_FALSE(model.value().is_exact());
  const Estimate at_16 = model.value().evaluate(std::vector<double>{16});
  EXPECT_NEAR(at_16.low, 0.99 * 12800, 1e-6);
  EXPECT_NEAR(at_16.high, 1.01 * 12800, 1e-6);
}

TEST(CountModel, FourScalesThatALawMeetsAreItsProof) {
  const CountModel four = fitted({2, 4, 8, 16}, [](int np) { return 800.0 * np; });
  EXPECT_FALSE(four.has_few_scales());
  const Estimate at_1024 = four.evaluate(std::vector<double>{1024});
  EXPECT_DOUBLE_EQ(at_1024.low, 819200);
  EXPECT_DOUBLE_EQ(at_1024.high, 819200);
  // 4 x 2 x 2 at 16: a side that is cut in four, and three sides as at 8.
  EXPECT_DOUBLE_EQ(fitted({2, 4, 8, 16}, halo).evaluate(std::vector<double>{1024}).value, 410.0 * 1024 * 3);
}

// One message to each neighbour of a rank, across faces, edges and corners of an open grid, 204 times. 4 x 4 x 4 ranks
// have (3 * 4 - 2)^3 - 64 = 936 such pairs, 4 x 2 x 2 have 10 * 4 * 4 - 16 = 144.
TEST(CountModel, NeighboursAcrossCornersOfAnOpenGridAreALaw) {
  Series series{{"np"}, "calls", "MPI_Send", {{{2}, {408}}, {{4}, {2448}}, {{8}, {11424}}, {{16}, {204 * 144.0}}}};
  FitOptions options;
  options.processes = "np";
  const Estimate at_64 = fit_count(series, options).value().evaluate(std::vector<double>{64});
  EXPECT_DOUBLE_EQ(at_64.value, 204.0 * 936);
}

// A solver that takes an iteration more or less from run to run, or two more at 64: 434 calls a rank, then 436.
TEST(CountModel, CountsThatVaryHaveAnInterval) {
  FitOptions options;
  options.processes = "np";
  Series repeats{{"np"}, "calls", "MPI_Allreduce", {}};
  for (const double np : {2, 4, 8, 16}) repeats.observations.push_back({{np}, {432 * np, 436 * np}});
  const Estimate of_repeats = fit_count(repeats, options).value().evaluate(std::vector<double>{64});
  EXPECT_DOUBLE_EQ(of_repeats.value, 434.0 * 64);
  EXPECT_LE(of_repeats.low, 432.0 * 64);
  EXPECT_GE(of_repeats.high, 436.0 * 64);

  Series scales{{"np"}, "calls", "MPI_Allreduce", {}};
  for (const double np : {2, 4, 8, 16}) scales.observations.push_back({{np}, {434 * np}});
  scales.observations.push_back({{64}, {436.0 * 64}});
  const CountModel drifts = fit_count(scales, options).value();
  EXPECT_FALSE(drifts.is_exact());
  const auto width = [&](double np) {
    const Estimate e = drifts.evaluate(std::vector<double>{np});
    return (e.high - e.low) / e.value;
  };
  EXPECT_LE(drifts.evaluate(std::vector<double>{64}).low, 434.0 * 64);
  EXPECT_GE(drifts.evaluate(std::vector<double>{64}).high, 436.0 * 64);
  // Twice as many doublings as were measured depart three times as far.
  EXPECT_NEAR(width(2048) / width(64), 3, 1e-6);
}

FitOptions sized() {
  FitOptions options;
  options.processes = "np";
  options.size = "x";
  return options;
}

// count(np, x), summed over ranks, at all combinations.
CountModel fitted_over(const char* metric, const std::vector<int>& scales, const std::vector<double>& sizes,
                       double (*count)(double, double)) {
  Series series{{"np", "x"}, metric, "MPI_Send", {}};
  for (const double x : sizes) {
    for (const int np : scales) series.observations.push_back({{static_cast<double>(np), x}, {count(np, x)}});
  }
  auto model = fit_count(series, sized());
  EXPECT_TRUE(model.ok());
  return std::move(model).value();
}

// Each rank sends what surrounds its part of a plane of x cells, 1e6 bytes a cell.
double of_a_plane(double np, double x) { return 1e6 * np * std::sqrt(x / np); }

// The hypothesis sqrt(P) meets all of x = 16. At x = 64 on 64 ranks a rank has a cell: 64 x 1e6.
TEST(CountModel, BytesOfALawGrowWithTheProblem) {
  const Estimate at_64 = fitted_over("bytes", {2, 4, 8, 16}, {16}, of_a_plane).evaluate(std::vector<double>{64, 64});
  EXPECT_NEAR(at_64.value, 6.4e7, 1e-6 * 6.4e7);
}

// x = 1 on 2 ... 16 ranks is work per rank of 1/2 ... 1/16. No hypothesis says P (x / P)^0.65; at 32 ranks, x = 4, a
// rank has 1/8 as at 8 ranks: 1e6 x 0.125^0.65 bytes, and all 32 of them 32 times that.
TEST(CountModel, BytesWithoutALawAreOfARankOverTheWorkPerRank) {
  const auto bytes = [](double np, double x) { return 1e6 * np * std::pow(x / np, 0.65); };
  const CountModel model = fitted_over("bytes", {2, 4, 8, 16}, {1}, bytes);
  ASSERT_TRUE(model.hypotheses().empty());
  EXPECT_NEAR(model.evaluate(std::vector<double>{32, 4}).value, bytes(32, 4), 0.02 * bytes(32, 4));
}

// Of one size nothing tells how messages go with it: each number from as many as there to as many times as the problem
// has grown is held, and a third and three times that, as another grid of processes may have.
TEST(CountModel, OneSizeIsNotSureOfOthers) {
  const auto calls = [](double np, double) { return 800.0 * np; };
  const Estimate of_calls = fitted_over("calls", {2, 4, 8, 16}, {1}, calls).evaluate(std::vector<double>{8, 8});
  EXPECT_DOUBLE_EQ(of_calls.value, 6400);
  EXPECT_LE(of_calls.low, 6400 / 3.0 * (1 + 1e-9));
  EXPECT_GE(of_calls.high, 8 * 6400);
  const Estimate of_bytes = fitted_over("bytes", {2, 4, 8, 16}, {1}, of_a_plane).evaluate(std::vector<double>{8, 8});
  EXPECT_LE(of_bytes.low, of_a_plane(8, 1) / 3 * (1 + 1e-9));
  EXPECT_GE(of_bytes.high, 8 * of_a_plane(8, 1));
}

// 0.73 times the bytes at the measured size on as many ranks, 1e6 x 8 x sqrt(1/8); its calls stay.
TEST(CountModel, AStatedRatioIsThatOfTheVolume) {
  CountModel bytes = fitted_over("bytes", {2, 4, 8, 16}, {1}, of_a_plane);
  bytes.state_volume_ratio(0.73);
  EXPECT_NEAR(bytes.evaluate(std::vector<double>{8, 8}).value, 0.73 * of_a_plane(8, 1), 1);
  EXPECT_NEAR(bytes.evaluate(std::vector<double>{8, 1}).value, of_a_plane(8, 1), 1);
  CountModel calls = fitted_over("calls", {2, 4, 8, 16}, {1}, [](double np, double) { return 800.0 * np; });
  calls.state_volume_ratio(0.73);
  EXPECT_DOUBLE_EQ(calls.evaluate(std::vector<double>{8, 8}).value, 6400);
}

// Surfaces of x^(2/3), edges of x^(1/3), corners: the same terms at each size, each with a power of it. At 32 = 4 x 4 x
// 2 and x = 64: 1000 x 16 x (4 + 4 + 2) + 50 x 4 x (16 + 8 + 8) + 5 x 32.
TEST(CountModel, HypothesesOfSeveralSizesShareTheirTerms) {
  const auto halo = [](double np, double x) {
    const auto d = core::process_grid(static_cast<int>(np), 3);
    double surface = 0, edges = 0;
    for (const int n : d) surface += n > 1 ? n : 0;
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = i + 1; j < 3; ++j) edges += d[i] > 1 && d[j] > 1 ? static_cast<double>(d[i]) * d[j] : 0;
    }
    return 1000 * std::pow(x, 2.0 / 3) * surface + 50 * std::cbrt(x) * edges + (d[2] > 1 ? 5 * np : 0);
  };
  const CountModel model = fitted_over("bytes", {2, 4, 8, 16, 32}, {1, 8, 27}, halo);
  const double expected = 1000.0 * 16 * 10 + 50 * 4 * 32 + 5 * 32;
  const Estimate at_64 = model.evaluate(std::vector<double>{32, 64});
  EXPECT_NEAR(at_64.value, expected, 0.01 * expected);
  EXPECT_LE(at_64.low, expected);
  EXPECT_GE(at_64.high, expected);
  // What was measured is met as a hypothesis has to.
  EXPECT_NEAR(model.evaluate(std::vector<double>{16, 8}).value, halo(16, 8), 1e-3 * halo(16, 8));
}

// A box of x cubes in a row, cut into cubes where there are as many ranks: each has two neighbours and 1e6 bytes for
// either. With fewer or more ranks it is cut otherwise, and no hypothesis of the processes holds at all sizes. The line
// of equal work per rank says 8 x 2e6 at 8 ranks, x = 8.
TEST(CountModel, EqualWorkPerRankLeadsToOtherSizes) {
  const auto bytes = [](double np, double x) {
    if (np == x) return 2e6 * np;
    return 1e6 * np * (np > x ? 1.3 + 0.61 * std::sin(3 * np + x) : 2.9 + 0.4 * std::cos(np - 2 * x));
  };
  const CountModel model = fitted_over("bytes", {2, 4, 8}, {1, 2, 4}, bytes);
  EXPECT_NEAR(model.evaluate(std::vector<double>{8, 8}).value, 16e6, 0.05 * 16e6);
  EXPECT_NEAR(model.evaluate(std::vector<double>{4, 4}).value, 8e6, 0.05 * 8e6);
}

}  // namespace
}  // namespace scalediag::fit
