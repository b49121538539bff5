#include "predict/improve/improvement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalediag::predict {
namespace {

// A run that is computation alone, 1 s give or take a factor of 2, on 64 ranks; measured up to 16 on two cores, where a
// run takes 2 s.
ImprovementInput input_of(double noise, int repeats) {
  ImprovementInput input;
  input.computation = {1, 0.5, 2, 0.9};
  input.target = 64;
  input.scales = {2, 4, 8, 16};
  input.repeats = repeats;
  input.noise = noise;
  input.run_s = 2;
  input.cores = 2;
  return input;
}

TEST(Improvement, StepsAreOfferedByWhatTheyBringForTheirTime) {
  const ImprovementInput input = input_of(0, 5);
  EXPECT_NEAR(width_of(input, input.computation), 4, 1e-12);
  const std::vector<Step> steps = steps_of(input);
  ASSERT_EQ(steps.size(), 2U);
  // np=32: 64 lies one doubling beyond it and two beyond 16, so that half of the interval goes: a factor of sqrt(2)
  // each way. Two runs of 32 x 1 s on two cores, and 0.4 s for the start of each of 16 ranks more, on two cores.
  EXPECT_EQ(steps[0].kind, StepKind::kScale);
  EXPECT_EQ(steps[0].ranks, 32);
  EXPECT_NEAR(steps[0].expected_width, 2, 1e-9);
  EXPECT_EQ(next_scale(input)->width, steps[0].expected_width);
  EXPECT_NEAR(steps[0].cost_s, 2 * (16 + 3.2), 1e-9);
  // Replays take 0.9 to 1.28 times as long (replayed_computation.h). A run takes 32 s and 0.2 s for each of 48 ranks
  // more; it is recorded in 1.5 times that and traced in once that. Each rank is replayed in 1.4 s.
  EXPECT_EQ(steps[1].kind, StepKind::kReplay);
  EXPECT_EQ(steps[1].ranks, 64);
  EXPECT_NEAR(steps[1].expected_width, 1.28 / 0.9, 1e-9);
  EXPECT_NEAR(steps[1].cost_s, 2.5 * (32 + 9.6) + 64 * 1.4, 1e-9);
  EXPECT_EQ(steps[1].repeats, 1);
}

// From 16 to 64 it is ln 4 / ln (16 / 9) steps, from 25 ln (64 / 25) / ln (25 / 16): the interval's logarithm shrinks
// as much.
TEST(Improvement, SquaresAreFollowedByTheNextOne) {
  ImprovementInput input = input_of(0, 5);
  input.scales = {1, 4, 9, 16};
  const Step scale = steps_of(input).front();
  EXPECT_EQ(scale.kind, StepKind::kScale);
  EXPECT_EQ(scale.ranks, 25);
  const double steps = std::log(64.0 / 25) / std::log(25.0 / 16), before = std::log(4) / std::log(16.0 / 9);
  EXPECT_NEAR(scale.expected_width, std::pow(4, steps / before), 1e-9);
}

// One run that varies by 80 %: all of the interval may be noise, which three runs make sqrt(3) times smaller.
TEST(Improvement, RepeatsNarrowNoise) {
  const std::vector<Step> steps = steps_of(input_of(0.8, 1));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].kind, StepKind::kRepeats);
  EXPECT_NEAR(steps[0].expected_width, std::pow(4, 1 / std::sqrt(3)), 1e-9);
  EXPECT_NEAR(steps[0].cost_s, 4, 1e-12);
}

TEST(Improvement, AStepIsTakenOnceAndNothingNarrowsWhatWasReplayed) {
  ImprovementInput input = input_of(0, 5);
  input.taken = {steps_of(input).front()};
  ASSERT_EQ(steps_of(input).size(), 1U);
  EXPECT_EQ(steps_of(input).front().kind, StepKind::kReplay);
  input.is_replayed = true;
  EXPECT_TRUE(steps_of(input).empty());
  EXPECT_FALSE(next_scale(input));
}

// Three replays of a rank, 64 x 1.4 s each time, fit into what is left of the budget.
TEST(Improvement, ReplaysAreRepeatedWhereTheBudgetAllows) {
  ImprovementInput input = input_of(0, 5);
  input.left_s = 2.5 * (32 + 9.6) + 3 * 64 * 1.4;
  const Step replay = steps_of(input).back();
  EXPECT_EQ(replay.repeats, 3);
  EXPECT_NEAR(replay.cost_s, input.left_s, 1e-9);
}

// Waiting that is not known within a factor of 100: another scale, which narrows a hundredth of the run, brings
// nothing. The trace of the target says what is waited for.
TEST(Improvement, WhatBringsLittleIsNotOffered) {
  ImprovementInput input = input_of(0, 5);
  input.others = {{100, 10, 1000, 0.9}};
  const std::vector<Step> steps = steps_of(input);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].kind, StepKind::kReplay);
  EXPECT_NEAR(steps[0].expected_width, (100 + 1.28) / (100 + 0.9), 1e-9);
}

}  // namespace
}  // namespace scalediag::predict
