#include "predict/backtest.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalediag::predict {
namespace {

SourceLine line(Source source, double value, std::optional<double> backtest) {
  return {Component::kComputation, source, Estimate{value, 0.5 * value, 2 * value, 0.9}, backtest, false, "", {}, {}};
}

// What was missed as the logarithm of predicted / known.
double missed(double logarithm) { return std::expm1(logarithm); }

// 1 / (0.1^2 + 0.05^2) = 80 and 1 / (0.05^2 + 0.05^2) = 200: ln of the value is (80 ln 2 + 200 ln 3) / 280.
TEST(Backtest, SourcesAreWeighedByTheirErrors) {
  std::vector<SourceLine> lines = {line(Source::kCurves, 2, missed(0.1)), line(Source::kScaledTrace, 3, missed(-0.05))};
  const auto chosen = choose(lines, 1);
  ASSERT_TRUE(chosen);
  EXPECT_NEAR(chosen->part.estimate.value, std::exp((80 * std::log(2) + 200 * std::log(3)) / 280), 1e-9);
  EXPECT_EQ(chosen->part.source, Source::kScaledTrace);
  EXPECT_TRUE(lines[0].taken);
  EXPECT_TRUE(lines[1].taken);
}

// Neither missed the largest scale. The first one's kind usually misses the next by 0.4, the second one's by 0.1: of
// 1 / 0.4^2 + 1 / 0.1^2 the first has 6 %, which is left out.
TEST(Backtest, ASourceWhoseKindUsuallyMissesMoreHasLessWeight) {
  std::vector<SourceLine> lines = {line(Source::kCosts, 2, 0), line(Source::kSimulatedScales, 3, 0)};
  lines[0].usual_error = 0.4;
  lines[1].usual_error = 0.1;
  EXPECT_DOUBLE_EQ(choose(lines, 1)->part.estimate.value, 3);
  lines[0].usual_error = lines[1].usual_error = 0;
  EXPECT_NEAR(choose(lines, 1)->part.estimate.value, std::sqrt(2.0 * 3.0), 1e-9);
}

// Both missed the largest scale by as much. One whose ends are a factor of 400 apart at the target is no half of the
// value, unless the other one knows as little.
TEST(Backtest, ASourceWhoseIntervalTellsLittleIsLeftOut) {
  SourceLine known = line(Source::kCurves, 24, missed(0.05)), vague = line(Source::kScaledTrace, 2, missed(0.05));
  vague.estimate->high = 400;  // its lower end is 1
  std::vector<SourceLine> lines = {known, vague};
  const Estimate own = choose(lines, 6)->part.estimate;
  EXPECT_DOUBLE_EQ(own.value, 24);
  EXPECT_DOUBLE_EQ(own.low, 12);
  EXPECT_DOUBLE_EQ(own.high, 48);
  EXPECT_FALSE(lines[1].taken);
  EXPECT_EQ(lines[1].why, "the ends of its own interval are more than a factor of 100 apart");
  // The two intervals have 1 to 120 in common.
  known.estimate = Estimate{4, 0.1, 120, 0.9};
  lines = {known, vague};
  const Estimate both = choose(lines, 1)->part.estimate;
  EXPECT_NEAR(both.value, std::sqrt(4.0 * 2), 1e-9);
  EXPECT_DOUBLE_EQ(both.low, 1);
  EXPECT_DOUBLE_EQ(both.high, 120);
}

// 24 and 2 are a factor of 12 apart. s = 0.08 at 1 step, since what was missed is of the usual size: the lower end lies
// hypot(1.645 s, ln 12) below, the upper one 1.645 s above.
TEST(Backtest, OfSourcesFarApartTheFirstIsTheValue) {
  std::vector<SourceLine> lines = {line(Source::kCurves, 24, missed(0.08)),
                                   line(Source::kScaledTrace, 2, missed(0.08))};
  const Part part = choose(lines, 1)->part;
  EXPECT_DOUBLE_EQ(part.estimate.value, 24);
  EXPECT_EQ(part.source, Source::kCurves);
  EXPECT_NEAR(part.estimate.low, 24 * std::exp(-std::hypot(1.645 * 0.08, std::log(12.0))), 1e-9);
  EXPECT_NEAR(part.estimate.high, 24 * std::exp(1.645 * 0.08), 1e-9);
}

// s^2 = (0.03^2 + 2 x 0.08^2) / 3 and two equal values: the half width is 1.645 s a step.
TEST(Backtest, TheIntervalGrowsWithTheSteps) {
  const double s = std::sqrt((0.03 * 0.03 + 2 * 0.08 * 0.08) / 3);
  for (const double steps : {1.0, 2.0}) {
    std::vector<SourceLine> lines = {line(Source::kCurves, 2, missed(0.03)),
                                     line(Source::kScaledTrace, 2, missed(-0.03))};
    const Estimate e = choose(lines, steps)->part.estimate;
    EXPECT_NEAR(e.high, 2 * std::exp(1.645 * s * steps), 1e-9);
    EXPECT_NEAR(e.low, 2 * std::exp(-1.645 * s * steps), 1e-9);
  }
}

// A source by itself: as above with its own usual error, half as much again where no error was seen, and together with
// the interval that it has already.
TEST(Backtest, ASourceThatWasNotSeenToMissIsWider) {
  const SourceLine seen = line(Source::kCosts, 2, missed(-0.3)), unseen = line(Source::kCosts, 2, std::nullopt);
  EXPECT_NEAR(half_width(seen, 0.4, 2), 1.645 * std::sqrt((0.09 + 2 * 0.16) / 3) * 2, 1e-12);
  EXPECT_NEAR(half_width(unseen, 0.4, 0.5), 1.645 * 1.5 * 0.4, 1e-12);
  const Estimate e = widened_by({2, 2 * std::exp(-0.3), 2 * std::exp(0.4), 0.9}, 0.4);
  EXPECT_NEAR(e.low, 2 * std::exp(-0.5), 1e-12);
  EXPECT_NEAR(e.high, 2 * std::exp(std::sqrt(0.32)), 1e-12);
}

// Errors of 0.1 and 0.3 have squares of 0.05 in the mean: s^2 = (2 x 0.05 + 2 x 0.08^2) / 4.
TEST(Backtest, BothScalesAreHeldAgainst) {
  std::vector<SourceLine> lines = {line(Source::kCurves, 2, missed(0.1)), line(Source::kScaledTrace, 2, missed(0.1))};
  for (SourceLine& one : lines) one.backtest_before = missed(-0.3);
  const Estimate e = choose(lines, 1)->part.estimate;
  EXPECT_NEAR(e.high, 2 * std::exp(1.645 * std::sqrt((2 * 0.05 + 2 * 0.08 * 0.08) / 4)), 1e-9);
  lines.back().backtest_before.reset();
  lines.back().taken = lines.front().taken = false;
  // 1 / (0.1^2 + 0.05^2) = 80 against 1 / (0.05 + 0.05^2) = 19: less than a fifth.
  choose(lines, 1);
  EXPECT_FALSE(lines.front().taken);
}

// A source that missed by half has 1 / (ln(1.5)^2 + 0.0025) = 6 of 1 / 0.0025 + 6, less than a fifth.
TEST(Backtest, WhatMissedByMuchIsLeftOutAndDisagrees) {
  std::vector<SourceLine> lines = {line(Source::kCurves, 9, 0.5), line(Source::kScaledTrace, 2, 0.0)};
  const auto chosen = choose(lines, 1);
  EXPECT_EQ(chosen->part.estimate.value, 2);
  EXPECT_FALSE(lines[0].taken);
  ASSERT_TRUE(chosen->disagreement);
  EXPECT_EQ(chosen->disagreement->other_s, 9);
}

// What no measured scale checks is taken only where nothing else is there.
TEST(Backtest, UncheckedSourcesComeLast) {
  std::vector<SourceLine> lines = {line(Source::kCurves, 2, std::nullopt), line(Source::kScaledTrace, 3, 0.1)};
  EXPECT_NEAR(choose(lines, 1)->part.estimate.value, 3, 1e-12);
  EXPECT_EQ(lines[0].why, "no measured scale checks it");
  std::vector<SourceLine> unchecked = {line(Source::kCurves, 2, std::nullopt),
                                       line(Source::kScaledTrace, 3, std::nullopt)};
  EXPECT_EQ(choose(unchecked, 1)->part.estimate.value, 2);
  std::vector<SourceLine> none;
  EXPECT_FALSE(choose(none, 1));
}

// Waiting that was 27,000 times too low at the largest scale says nothing; a factor of 9 says more than no check.
TEST(Backtest, ARefutedSourceComesAfterAnUncheckedOne) {
  for (const double times : {9.0, 11.0}) {
    std::vector<SourceLine> lines = {line(Source::kSimulatedScales, 2, std::nullopt),
                                     line(Source::kCosts, 3, missed(-std::log(times)))};
    const auto chosen = choose(lines, 1);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->part.source, times < 10 ? Source::kCosts : Source::kSimulatedScales);
    EXPECT_EQ(lines[0].taken, times > 10);
    EXPECT_EQ(lines[1].taken, times < 10);
  }
}

// A source that was checked alone keeps the interval that its models know: one that nothing checks narrows none.
TEST(Backtest, TheOnlyCheckedSourceKeepsItsInterval) {
  for (const auto& others : {std::vector<SourceLine>{}, {line(Source::kScaledTrace, 3, std::nullopt)}}) {
    std::vector<SourceLine> lines = {line(Source::kCurves, 2, 0.1)};
    lines.insert(lines.end(), others.begin(), others.end());
    const Estimate e = choose(lines, 2)->part.estimate;
    EXPECT_EQ(e.low, 1);
    EXPECT_EQ(e.high, 4);
  }
}

// A fifth of what is known is missed by as much as five times of it: the geometric mean is the middle.
TEST(Backtest, TooLittleIsAsFarOffAsTooMuch) {
  std::vector<SourceLine> lines = {line(Source::kSimulation, 2, -0.8), line(Source::kCosts, 4.5, 4)};
  EXPECT_NEAR(choose(lines, 1)->part.estimate.value, 3, 1e-9);
}

// Half of the waiting is missed: twice as much, after which nothing is. A quarter of it at the scale before: the
// geometric mean of 2 and 4. Too much is chance, and a twentieth says as little as no scale: the usual factor.
TEST(Backtest, WaitingIsMultipliedByWhatWasTooLittle) {
  SourceLine missed = line(Source::kSimulation, 1, -0.5);
  EXPECT_NEAR(waiting_factor(missed, 3), 2, 1e-12);
  EXPECT_NEAR(*multiplied(missed, 2).backtest, 0, 1e-12);
  missed.backtest_before = -0.75;
  EXPECT_NEAR(waiting_factor(missed, 3), std::sqrt(8), 1e-12);
  EXPECT_EQ(waiting_factor(line(Source::kSimulation, 1, 0.3), 3), 1);
  EXPECT_EQ(waiting_factor(line(Source::kSimulation, 1, -0.95), 3), 3);
  EXPECT_EQ(waiting_factor(line(Source::kSimulation, 1, std::nullopt), 3), 3);
}

TEST(Backtest, DisagreementIsOutsideOfBothIntervals) {
  EXPECT_TRUE(disagree({1, 0.9, 1.1}, {2, 1.5, 3}));
  EXPECT_FALSE(disagree({1, 0.9, 2.1}, {2, 1.5, 3}));
}

}  // namespace
}  // namespace scalediag::predict
