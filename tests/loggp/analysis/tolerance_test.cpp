#include "loggp/analysis/tolerance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

const std::vector<double> kLonger = {0.01, 0.05, 0.1};

Tolerance tolerance(const std::function<double(double)>& total_s) {
  const auto result = tolerance_of([&](double f) -> core::Result<double> { return total_s(f); }, total_s(1), kLonger);
  EXPECT_TRUE(result.ok());
  return result.ok() ? result.value() : Tolerance{};
}

// 100 = 80 + 20 f: 1, 5 and 10 longer at 1 + 1/20, 1 + 5/20 and 1 + 10/20. The slope, and the point where the line
// would have risen enough with its own slope: three simulations.
TEST(Tolerance, OfOneLineIsExact) {
  const Tolerance t = tolerance([](double f) { return 80 + 20 * f; });
  ASSERT_EQ(t.limits.size(), 3u);
  EXPECT_NEAR(*t.limits[0].factor, 1.05, 1e-8);
  EXPECT_NEAR(*t.limits[1].factor, 1.25, 1e-8);
  EXPECT_NEAR(*t.limits[2].factor, 1.5, 1e-8);
  EXPECT_TRUE(t.bends.empty());
  EXPECT_EQ(t.simulations, 3);
}

// max(80 + 20 f, 58 + 40 f): the second path is longer from 22 / 20 = 1.1 on, where both are 102. 1 longer at 1.05 as
// before; 105 = 58 + 40 f at 47 / 40, 110 at 52 / 40.
TEST(Tolerance, BendsWhereAnotherPathIsTheLongest) {
  const Tolerance t = tolerance([](double f) { return std::max(80 + 20 * f, 58 + 40 * f); });
  EXPECT_NEAR(*t.limits[0].factor, 1.05, 1e-6);
  EXPECT_NEAR(*t.limits[1].factor, 47. / 40, 1e-6);
  EXPECT_NEAR(*t.limits[2].factor, 52. / 40, 1e-6);
  ASSERT_EQ(t.bends.size(), 1u);
  EXPECT_NEAR(t.bends[0], 1.1, 1e-6);
}

// Nothing depends on f up to 50, then 100 = 50 + f; 1 more at 51, and 10 at 60.
TEST(Tolerance, ReachesOverWhatDoesNotMatterYet) {
  const Tolerance t = tolerance([](double f) { return std::max(100., 50 + f); });
  EXPECT_NEAR(*t.limits[0].factor, 51, 1e-3);
  EXPECT_NEAR(*t.limits[2].factor, 60, 1e-3);
  ASSERT_EQ(t.bends.size(), 1u);
  EXPECT_NEAR(t.bends[0], 50, 1e-3);
}

TEST(Tolerance, OfWhatNeverMattersIsNone) {
  const Tolerance t = tolerance([](double) { return 100; });
  for (const auto& limit : t.limits) EXPECT_FALSE(limit.factor);
}

TEST(Tolerance, GivesErrorsOn) {
  const auto failed = tolerance_of(
      [](double) -> core::Result<double> {
        return core::Error{core::ErrorCode::kInput, "no", "", ""};
      },
      1, kLonger);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "no");
}

// A ping-pong of 9 bytes takes 216 (simulator_test.cpp), of which 200 are two latencies: T = 16 + 200 f. 10 % are 21.6,
// reached at f = 1 + 21.6 / 200. Beside computations of 300 on both ranks that do not wait for it, which take 300 + the
// other overheads, latencies do not matter at first: rank 0 sends, computes 300 and receives; rank 1 answers at once.
// Rank 0 goes on at max(3 + 300, 16 + 200 f - 4) + 4: from f = 291 / 200 on the messages are the longer path.
TEST(Tolerance, OfAPingPong) {
  const auto of = [](double seconds) {
    const auto total_s = [seconds](double factor) -> core::Result<double> {
      ListProgram p(2);
      p.of(0) = {message(OpKind::kSend, 1, 9), compute(seconds), message(OpKind::kRecv, 1, 9)};
      p.of(1) = {message(OpKind::kRecv, 0, 9), message(OpKind::kSend, 0, 9)};
      NetworkFactors factors;
      factors.latency = factor;
      const auto simulated = simulate(p, scaled(example_network(), factors));
      if (!simulated) return simulated.error();
      return simulated.value().total_s;
    };
    return tolerance_of(total_s, total_s(1).value(), kLonger).value();
  };
  EXPECT_NEAR(*of(0).limits[2].factor, 1 + 21.6 / 200, 1e-6);
  const Tolerance beside = of(300);
  ASSERT_EQ(beside.bends.size(), 1u);
  EXPECT_NEAR(beside.bends[0], 291. / 200, 1e-6);
  // 307 in all; 10 % more are 337.7 = 16 + 200 f.
  EXPECT_NEAR(*beside.limits[2].factor, 321.7 / 200, 1e-6);
}

}  // namespace
}  // namespace scalediag::loggp
