#include "report/scaling/scaling_curve.h"

#include <gtest/gtest.h>

#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "report/render/verdict.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {
namespace {

// 64/P s that scale and 1 s that does not: T(2) = 33 s and, over np=2, efficiency(P) = 2 x 33 / (64 + P).
Findings amdahl(double bound, const std::vector<std::vector<double>>& targets) {
  fit::SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 64.0 / np; }}, {"stays", [](int, int) { return 1.0; }}};
  app.others_s = 0;
  auto data = fit::application_data(app.profile({2, 4, 8, 16}));
  EXPECT_TRUE(data.ok());
  auto model = fit::fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  FindingsOptions options;
  options.detailed = true;
  options.efficiency_bound = bound;
  return application_findings(model.value(), targets, options);
}

TEST(ScalingCurve, HasMeasuredScalesDoublingsAndTargets) {
  const Findings findings = amdahl(0.5, {{100}});
  std::vector<double> scales;
  for (const ScaleSample& s : findings.curve->samples) scales.push_back(s.at.front().second);
  EXPECT_EQ(scales, (std::vector<double>{2, 4, 8, 16, 32, 64, 100}));
  EXPECT_EQ(findings.evidence_points.size(), scales.size());
}

TEST(ScalingCurve, KeepsMeasuredScalesBeyondTheTarget) {
  const Findings findings = amdahl(0.5, {{8}});
  std::vector<double> scales;
  for (const ScaleSample& s : findings.curve->samples) scales.push_back(s.at.front().second);
  EXPECT_EQ(scales, (std::vector<double>{2, 4, 8, 16}));
}

TEST(ScalingCurve, MeasuredEfficienciesFollowFromTheTotals) {
  const Findings findings = amdahl(0.5, {{256}});
  // 66 / (64 + 16)
  EXPECT_NEAR(*findings.curve->samples[3].measured_efficiency, 0.825, 1e-9);
  // 33 / (4 + 1)
  EXPECT_NEAR(*findings.curve->samples[3].measured_speedup, 6.6, 1e-9);
  EXPECT_FALSE(findings.curve->samples.back().measured_efficiency);
}

TEST(ScalingCurve, IntervalsHoldTheirValues) {
  const Findings findings = amdahl(0.5, {{1024}});
  for (const ScaleSample& s : findings.curve->samples) {
    EXPECT_LE(s.speedup.low, s.speedup.value);
    EXPECT_LE(s.speedup.value, s.speedup.high);
    EXPECT_LE(s.efficiency.low, s.efficiency.value);
    EXPECT_LE(s.efficiency.value, s.efficiency.high);
  }
}

TEST(ScalingCurve, PartsAddUpToTheRunTheyAreOf) {
  const Findings findings = amdahl(0.5, {{256}});
  for (const ScaleSample& s : findings.curve->samples) {
    const RunParts& p = s.parts;
    const double run = s.measured_run_s.empty() ? s.run_s.value : s.measured_run_s.front();
    EXPECT_NEAR((p.computation_s + p.openmp_waiting_s + p.communication_s + p.waiting_s + p.unattributed_s) / run, 1,
                1e-6);
  }
}

// The tables have the samples: what they say of the bound, the interval says, too.
TEST(SweetSpot, AgreesWithTheSamples) {
  for (const double bound : {0.3, 0.5, 0.7}) {
    const Findings findings = amdahl(bound, {{64}, {1024}});
    const SweetSpot& spot = findings.curve->sweet_spot;
    ASSERT_FALSE(spot.measured);
    EXPECT_GE(spot.at_least.value_or(1e9), 16);
    for (const ScaleSample& s : findings.curve->samples) {
      const double processes = s.at.front().second;
      if (processes <= 16) continue;
      if (s.efficiency.low >= bound) {
        EXPECT_GE(spot.at_least.value_or(1e9), processes);
      }
      if (s.efficiency.high >= bound) {
        EXPECT_GE(spot.at_most.value_or(1e9), processes);
      }
    }
  }
}

TEST(SweetSpot, LiesWhereThePredictedEfficiencyCrossesTheBound) {
  const SweetSpot spot = amdahl(0.5, {{1024}}).curve->sweet_spot;
  // 66 / (64 + P) = 0.5 at P = 68. The model is no Amdahl's law by itself: a fifth is its due.
  ASSERT_TRUE(spot.processes);
  EXPECT_NEAR(*spot.processes, 68, 14);
  ASSERT_TRUE(spot.at_least);
  EXPECT_LE(*spot.at_least, *spot.processes);
  EXPECT_TRUE(!spot.at_most || *spot.at_most >= *spot.processes);
  EXPECT_FALSE(spot.measured);
}

TEST(SweetSpot, IsTheLastMeasuredScaleAboveTheBoundWhereThatWasMeasured) {
  // Efficiencies at 4, 8 and 16: 66/68 = 0.971, 66/72 = 0.917, 66/80 = 0.825.
  const SweetSpot spot = amdahl(0.9, {{1024}}).curve->sweet_spot;
  EXPECT_TRUE(spot.measured);
  EXPECT_EQ(spot.processes, std::optional(8.0));
  EXPECT_EQ(spot.at_least, std::optional(8.0));
  EXPECT_EQ(spot.at_most, std::optional(8.0));
}

TEST(SweetSpot, IsBeyondWhatWasLookedAtWhereTheBoundHolds) {
  // 66 / (64 + 32) = 0.69
  const SweetSpot spot = amdahl(0.3, {{32}}).curve->sweet_spot;
  EXPECT_FALSE(spot.processes);
  EXPECT_EQ(spot.examined, 32);
}

// Targets whose ranks were replayed are no points of the model's curve. 64 / P + 1 s as before: efficiency is
// 66 / (64 + 64) = 0.516 at 64 and 66 / (64 + 128) = 0.344 at 128.
std::vector<double> scales_of(const ScalingCurve& curve) {
  std::vector<double> scales;
  for (const ScaleSample& s : curve.samples) scales.push_back(process_count(s.at));
  return scales;
}

ScalingCurve with_replays(const std::vector<double>& targets) {
  fit::SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 64.0 / np; }}, {"stays", [](int, int) { return 1.0; }}};
  app.others_s = 0;
  auto data = fit::application_data(app.profile({2, 4, 8, 16}));
  EXPECT_TRUE(data.ok());
  predict::Evidence evidence;
  std::vector<predict::Target> at;
  for (const double np : targets) {
    at.push_back(predict::Target::of(data.value(), {np}));
    predict::ReplayedComputation& replayed = evidence.replayed[at.back()];
    replayed.ranks = replayed.replayed = static_cast<int>(np);
    replayed.mean_s = replayed.most_s = 64 / np + 1;
  }
  auto predictor = predict::Predictor::of(std::move(data).value(), {}, std::move(evidence), at);
  EXPECT_TRUE(predictor.ok());
  FindingsOptions options;
  options.efficiency_bound = 0.4;
  return *application_findings(predictor.value(), at, options).curve;
}

TEST(SweetSpot, BetweenReplayedTargetsSaysWhereItLiesAndIsTheSameForAnyListOfThem) {
  const ScalingCurve one = with_replays({128}), two = with_replays({64, 128});
  EXPECT_EQ(scales_of(one), (std::vector<double>{2, 4, 8, 16, 128}));
  EXPECT_EQ(one.sweet_spot.processes, std::optional(16.0));
  EXPECT_EQ(one.sweet_spot.below_at, std::optional(128.0));
  EXPECT_EQ(scales_of(two), (std::vector<double>{2, 4, 8, 16, 64, 128}));
  EXPECT_EQ(two.sweet_spot.processes, std::optional(64.0));
  EXPECT_EQ(two.sweet_spot.below_at, std::optional(128.0));
  EXPECT_EQ(sweet_spot_text(two.sweet_spot, "np").substr(0, 38), "np=64 at least, and is lower at np=128");
  EXPECT_DOUBLE_EQ(one.samples.back().run_s.value, two.samples.back().run_s.value);
}

}  // namespace
}  // namespace scalediag::report
