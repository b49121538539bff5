#include "fit/count_model.h"

#include <gtest/gtest.h>

#include <cmath>

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
  for (const int n : process_grid(np, 3)) sides += n > 1 ? 1 : 0;
  return 410.0 * np * sides;
}

TEST(CountModel, ThreeScalesDoNotDecideBetweenLawsThatMeetThem) {
  const CountModel three = fitted({2, 4, 8}, halo);
  EXPECT_TRUE(three.has_few_scales());
  const Estimate at_1024 = three.evaluate(std::vector<double>{1024});
  EXPECT_LE(at_1024.low, 410.0 * 1024 * 3);
  EXPECT_GE(at_1024.high, 410.0 * 1024 * 10);
}

TEST(CountModel, ThreeScalesAreNoProofOfTheOnlyLawThatMeetsThem) {
  const Estimate three = fitted({2, 4, 8}, [](int np) { return 800.0 * np; }).evaluate(std::vector<double>{1024});
  EXPECT_DOUBLE_EQ(three.value, 819200);
  EXPECT_LT(three.low, 0.99 * three.value);
  EXPECT_GT(three.high, 1.01 * three.value);
  // A single process has no partner, so that it is no fourth scale.
  EXPECT_TRUE(fitted({1, 2, 4, 8}, [](int np) { return np > 1 ? 20.0 * np : 0.0; }).has_few_scales());
}

// What a rank sends to each other one: two points more than the law has terms, of grids that differ from butterflies.
TEST(CountModel, ThreeScalesThatAreNotAllPowersOfTwoProveALawOfOneTerm) {
  const CountModel sends = fitted({2, 3, 4}, [](int np) { return 3000.0 * (np - 1); });
  EXPECT_FALSE(sends.has_few_scales());
  const Estimate at_1024 = sends.evaluate(std::vector<double>{1024});
  EXPECT_DOUBLE_EQ(at_1024.low, 3000.0 * 1023);
  EXPECT_DOUBLE_EQ(at_1024.high, 3000.0 * 1023);
  // Two terms meet three points with one to spare.
  EXPECT_TRUE(fitted({2, 3, 4}, [](int np) { return 3000.0 * (np - 1) + 70.0 * np * np; }).has_few_scales());
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

}  // namespace
}  // namespace scalediag::fit
