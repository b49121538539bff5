// Simulated and replayed values in place of the predicted ones of a target.
#include "report/findings/known/known_target.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

// Predicted: a mean of 2 s, 2.2 s of the slowest rank, so that 0.2 s are waited; 1 s of communication.
fit::Prediction predicted() {
  fit::Prediction p;
  const auto exact = [](double s) { return Estimate{s, s, s, 0.9}; };
  p.computation_s = exact(2);
  p.slowest_computation_s = exact(2.2);
  p.waiting_s = exact(0.2);
  p.communication_s = exact(1);
  p.openmp_waiting_s = p.unattributed_s = exact(0);
  p.others_s = exact(0.5);
  p.run_s = exact(3.2);
  return p;
}

ReplayedComputation replayed() {
  ReplayedComputation r;
  r.ranks = r.replayed = 4;
  r.mean_s = 1;
  r.most_s = 1.5;
  r.predicted_s = 2;
  return r;
}

// 1 s in place of 2: waiting goes with it, 0.1 s, and may be the 0.5 s that the longest replay is above the mean.
TEST(KnownTarget, WaitingStaysInProportionToReplayedComputation) {
  fit::Prediction p = predicted();
  put_replayed(replayed(), p);
  EXPECT_DOUBLE_EQ(p.computation_s.value, 1);
  EXPECT_DOUBLE_EQ(p.slowest_computation_s.value, 1.1);
  EXPECT_DOUBLE_EQ(p.slowest_computation_s.high, 1.5);
  EXPECT_DOUBLE_EQ(p.waiting_s.value, 0.1);
  EXPECT_DOUBLE_EQ(p.waiting_s.high, 0.5);
  EXPECT_DOUBLE_EQ(p.run_s.value, 1 + 0.1 + 1);
  EXPECT_DOUBLE_EQ(p.total_s.value, 1 + 0.1 + 1 + 0.5);
}

TEST(KnownTarget, FunctionsAreMultiplied) {
  KernelFinding f;
  f.estimate = {0.8, 0.6, 1.0, 0.9};
  put_replayed(replayed(), f);
  EXPECT_DOUBLE_EQ(f.estimate.value, 0.4);
  EXPECT_DOUBLE_EQ(f.estimate.high, 0.5);
  EXPECT_EQ(f.formula_note, "the value is 0.500 times what is predicted, as replayed");
}

// 1 s in place of 2, for phases with 3/4 of the instructions, which are known to 4 %; the rest is known to 20 % down
// and 40 % up, as what was predicted. Alone against among many: 10 % down, 28 % up.
TEST(KnownTarget, PointsAreAsUncertainAsReplaysAndWhatTheyLeaveOut) {
  PointComputation points;
  points.share = 0.75;
  points.relative_error = 0.04;
  points.mean_s = 1;
  points.predicted_s = 2;
  fit::Prediction p = predicted();
  p.computation_s = {2, 1.6, 2.8, 0.9};
  put_points(points, p);
  EXPECT_DOUBLE_EQ(p.computation_s.value, 1);
  EXPECT_NEAR(p.computation_s.low, 1 - (0.75 * (0.10 + 0.04) + 0.25 * 0.2), 1e-12);
  EXPECT_NEAR(p.computation_s.high, 1 + 0.75 * (0.28 + 0.04) + 0.25 * 0.4, 1e-12);
  EXPECT_DOUBLE_EQ(p.waiting_s.value, 0.1);  // half, as the computation
  EXPECT_DOUBLE_EQ(p.run_s.value, 1 + 0.1 + 1);
  KernelFinding f;
  f.estimate = {0.8, 0.6, 1.0, 0.9};
  put_points(points, f);
  EXPECT_DOUBLE_EQ(f.estimate.value, 0.4);
}

}  // namespace
}  // namespace scalediag::report
