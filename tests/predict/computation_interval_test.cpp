// The interval of what a scaled trace computes.
#include "predict/sources/computation_interval.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace scalediag::predict {
namespace {

// A rank computes for 8 / P s in phase 1, 0.5 s in phase 2 and nothing else; each run of a number of ranks takes one of
// `factors` times that.
MeasuredComputation measured(const std::vector<int>& scales, const std::vector<double>& factors = {1}) {
  MeasuredComputation all;
  all.phases = {{1, {}}, {2, {}}, {0, {}}};
  for (const int ranks : scales) {
    for (const double factor : factors) all.run_s[ranks].push_back(factor * (8.0 / ranks + 0.5));
    all.phases[0].mean_s[ranks] = factors.front() * 8.0 / ranks;
    all.phases[1].mean_s[ranks] = factors.front() * 0.5;
    all.phases[2].mean_s[ranks] = 0;
  }
  return all;
}

ScaledComputation scaled(const MeasuredComputation& measured, int ranks, double trace_s,
                         const std::optional<PointComputation>& points = std::nullopt) {
  const auto computed = scaled_computation(measured, ranks, trace_s, points);
  EXPECT_TRUE(computed);
  return computed ? computed.value() : ScaledComputation();
}

bool says(const ScaledComputation& computation, const std::string& words) {
  return text_of(computation).find(words) != std::string::npos;
}

// 8 / 64 + 0.5 = 0.625 s. Four numbers of ranks follow the two formulas exactly, so that little is left open.
TEST(ComputationInterval, HoldsWhatPhasesLeadTo) {
  const ScaledComputation computed = scaled(measured({2, 4, 8, 16}), 64, 0.62);
  EXPECT_NEAR(computed.predicted_s.value, 0.625, 1e-3);
  EXPECT_EQ(computed.mean_s.value, 0.62);  // the trace's own stays
  EXPECT_FALSE(computed.is_outside);
  EXPECT_LE(computed.mean_s.low, 0.62);
  EXPECT_GE(computed.mean_s.high, 0.625);
  EXPECT_LT(computed.mean_s.high / computed.mean_s.low, 1.5);
  EXPECT_EQ(computed.mean_s.level, 0.9);
  ASSERT_TRUE(computed.check_error);
  EXPECT_NEAR(*computed.check_error, 0, 0.05);
  EXPECT_TRUE(says(computed, "computation of a rank on 64: 620.00 ms in the mean, 90 % interval "));
  EXPECT_TRUE(says(computed, ", from 2, 4, 8 and 16 ranks (16 from 2, 4 and 8: "));
  EXPECT_TRUE(
      says(computed, "no measured point says whether data falls into a cache there, and the interval does not"));
  EXPECT_FALSE(says(computed, "widened"));
}

// One power through the whole, 4.5, 2.5, 1.5 and 1 s, leads to some 0.36 s on 64 ranks: work that is not divided.
TEST(ComputationInterval, IsWidenedToHoldTheTrace) {
  const ScaledComputation computed = scaled(measured({2, 4, 8, 16}), 64, 0.36);
  EXPECT_TRUE(computed.is_outside);
  EXPECT_EQ(computed.mean_s.low, 0.36);
  EXPECT_EQ(computed.mean_s.high, computed.predicted_s.high);
  EXPECT_GT(computed.predicted_s.low, 0.36);
  EXPECT_TRUE(says(computed, "lies outside of "));
}

// Runs of one number of ranks that lie 30 % around their median leave a single run as uncertain as that.
TEST(ComputationInterval, HoldsTheNoiseOfRepeats) {
  const fit::Estimate quiet = scaled(measured({2, 4, 8, 16}, {1, 1, 1}), 64, 0.625).mean_s;
  const fit::Estimate noisy = scaled(measured({2, 4, 8, 16}, {1, 0.7, 1.3}), 64, 0.625).mean_s;
  EXPECT_GT(quiet.low, 0.7 * 0.625);
  EXPECT_LT(quiet.high, 1.3 * 0.625);
  EXPECT_LT(noisy.low, 0.7 * 0.625);
  EXPECT_GT(noisy.high, 1.3 * 0.625);
}

// Three numbers of ranks check one prediction, two none.
TEST(ComputationInterval, SaysWhenNothingChecksIt) {
  EXPECT_TRUE(scaled(measured({2, 4, 8}), 16, 1).check_error);
  const ScaledComputation computed = scaled(measured({2, 4}), 16, 1);
  EXPECT_FALSE(computed.check_error);
  EXPECT_TRUE(says(computed, "from 2 and 4 ranks, which are too few to check it: a guess from experience"));
  EXPECT_FALSE(scaled_computation(measured({2}), 16, 1));
}

// All of it is as measured alone: 10 % down and 28 % up, and 4 % that instructions leave open.
TEST(ComputationInterval, OfMeasuredPointsIsThatOfReplays) {
  PointComputation points;
  points.runs = {"small/np0002.r0"};
  points.share = 1;
  points.relative_error = 0.04;
  ScaledComputation computed = scaled(measured({2, 4, 8}), 64, 0.1, points);
  EXPECT_DOUBLE_EQ(computed.mean_s.value, 0.1);
  EXPECT_NEAR(computed.mean_s.low, 0.1 * (1 - 0.14), 1e-12);
  EXPECT_NEAR(computed.mean_s.high, 0.1 * (1 + 0.32), 1e-12);
  EXPECT_TRUE(computed.knows_caches());
  EXPECT_TRUE(says(computed, "compute as in small/np0002.r0"));
  EXPECT_FALSE(says(computed, "falls into a cache"));
  points.without = {1, 3};
  computed = scaled(measured({2, 4, 8}), 64, 0.1, points);
  EXPECT_FALSE(computed.knows_caches());
  EXPECT_TRUE(says(computed, "no measured point says whether data falls into a cache there in phases 1 and 3"));
}

}  // namespace
}  // namespace scalediag::predict
