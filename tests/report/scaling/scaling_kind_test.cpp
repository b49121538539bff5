#include "report/scaling/scaling_kind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "report/render/verdict.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {
namespace {

using fit::SyntheticApplication;

// Computation of all ranks.
Computation computation(const std::function<double(double)>& of_all, const std::vector<double>& scales = {2, 4, 8, 16},
                        double error = 0) {
  Computation all;
  for (const double p : scales) all.of_all_ranks.push_back({p, of_all(p), error});
  return all;
}

ScalingSaid fixed_command() {
  ScalingSaid said;
  said.fixed_command = true;
  return said;
}

TEST(ScalingKind, IsStrongWhereComputationOfAllRanksStays) {
  // 10 s and a halo of 0.3 s on each rank of a cube's part, P x P^(-2/3): from 10.38 at 2 to 10.76 at 16, over the
  // first three P^0.015.
  const ScalingKind kind = scaling_of(computation([](double p) { return 10 + 0.3 * std::cbrt(p); }), fixed_command());
  EXPECT_EQ(kind.scaling, Scaling::kStrong);
  EXPECT_EQ(kind.source, ScalingSource::kMeasured);
  EXPECT_EQ(kind.reason, "measured: computation of all ranks goes as P^0.02");
}

// Work that stays, with 1 % of noise that turns at every process: between neighbours it is a slope of hundreds.
TEST(ScalingKind, NoiseBetweenCloseScalesIsNoSlope) {
  std::vector<double> scales;
  for (int p = 1; p <= 400; ++p) scales.push_back(p);
  const auto noisy = computation([](double p) { return 10 + 0.1 * (static_cast<int>(p) % 2); }, scales);
  const std::optional<Slope> growth = growth_of_computation(noisy.of_all_ranks);
  ASSERT_TRUE(growth.has_value());
  EXPECT_NEAR(growth->exponent, 0, 0.05);
}

TEST(ScalingKind, OverheadThatTakesOverLaterDoesNotHideWhatItIsBelow) {
  // 10 s divided and 0.01 s for every process on every process: 10.04 s at 2, 10.6 at 8, 173.8 at 128.
  const auto kind = scaling_of(computation([](double p) { return 10 + 0.01 * p * p; }, {2, 4, 8, 16, 32, 64, 128}), {});
  EXPECT_EQ(kind.scaling, Scaling::kStrong);
}

TEST(ScalingKind, IsWeakWhereComputationOfAllRanksGoesAsP) {
  const ScalingKind kind = scaling_of(computation([](double p) { return 3 * p; }, {1, 8, 27}), fixed_command());
  EXPECT_EQ(kind.scaling, Scaling::kWeak);
  EXPECT_EQ(kind.source, ScalingSource::kMeasured);
  // One run that was slowed down, and one that was not, are no sign of divided work: 6, 7.6, 24.8 and 48 s.
  const Computation disturbed = {{{2, 6, 0}, {4, 7.6, 0}, {8, 24.8, 0}, {16, 48, 0}}};
  EXPECT_EQ(scaling_of(disturbed, {}).scaling, Scaling::kUnknown);
  EXPECT_EQ(scaling_of(disturbed, fixed_command()).source, ScalingSource::kAssumed);
}

TEST(ScalingKind, IsAssumedStrongWhereNothingDecidesItForAFixedCommand) {
  // 1 s divided and 0.2 s that every rank repeats: 1.4, 1.8 and 2.6 s, ln(2.6 / 1.4) / ln 4 = 0.447.
  const auto mixed = computation([](double p) { return 1 + 0.2 * p; }, {2, 4, 8});
  const ScalingKind assumed = scaling_of(mixed, fixed_command());
  EXPECT_EQ(assumed.scaling, Scaling::kStrong);
  EXPECT_EQ(assumed.source, ScalingSource::kAssumed);
  EXPECT_EQ(assumed.reason,
            "assumed, since no value in the command line changes with the processes: computation of all ranks goes as "
            "P^0.45");
  // Neither a fixed problem nor one that grows with the processes grows as P^2.
  const auto squared = computation([](double p) { return p * p; });
  EXPECT_EQ(scaling_of(squared, fixed_command()).source, ScalingSource::kAssumed);
  EXPECT_EQ(scaling_of(squared, {}).scaling, Scaling::kUnknown);
  EXPECT_EQ(scaling_of({}, fixed_command()).source, ScalingSource::kAssumed);
}

TEST(ScalingKind, IsNotWeakWherePartOfTheWorkIsDivided) {
  // Work that every rank repeats is 0.8 s of a rank's 1 s at 2, and the rest falls as 1 / P: 2, 3.6, 6.8 and 13.2 s in
  // all, over the first three P^0.88. A problem that grows with the processes has no such part.
  SyntheticApplication app;
  app.kernels = {{"repeated", [](int, int) { return 0.8; }}, {"divided", [](int np, int) { return 0.4 / np; }}};
  const core::Profile profile = app.profile({2, 4, 8, 16});
  const fit::ApplicationData data = fit::application_data(profile).value();
  EXPECT_NEAR(computation_of(data).divided, 0.2, 1e-9);
  const ScalingKind kind = scaling_of(computation_of(data), said_of(data));
  EXPECT_EQ(kind.scaling, Scaling::kStrong);
  EXPECT_EQ(kind.source, ScalingSource::kAssumed);
  EXPECT_NE(kind.reason.find("P^0.88, though 20 % of it is divided among them"), std::string::npos) << kind.reason;
}

TEST(ScalingKind, IsNotMeasuredByAFewSamples) {
  // 10 samples a scale, 1 / sqrt(10) = 31.6 % off: an exponent over two doublings is known to 0.316 / (sqrt(2) ln 2) =
  // 0.323, and with 95 % to 1.645 times that.
  const auto few = computation([](double) { return 0.1; }, {2, 4, 8}, 0.316);
  const ScalingKind assumed = scaling_of(few, fixed_command());
  EXPECT_EQ(assumed.source, ScalingSource::kAssumed);
  EXPECT_NE(assumed.reason.find("goes as P^0.00 give or take 0.53"), std::string::npos) << assumed.reason;
  EXPECT_EQ(scaling_of(computation([](double) { return 0.1; }, {2, 4, 8}, 0.02), {}).source, ScalingSource::kMeasured);
}

TEST(ScalingKind, ACommandLineThatChangesWithTheProcessesSaysWeakUnlessComputationSaysOtherwise) {
  ScalingSaid said;
  said.arguments = Scaling::kWeak;
  said.argument_text = "{np} in '-s {np}'";
  const ScalingKind by_arguments = scaling_of(computation([](double p) { return p * p; }), said);
  EXPECT_EQ(by_arguments.scaling, Scaling::kWeak);
  EXPECT_EQ(by_arguments.source, ScalingSource::kArguments);
  EXPECT_EQ(by_arguments.reason, "by {np} in '-s {np}'; computation of all ranks goes as P^2.00");
  EXPECT_TRUE(by_arguments.open);
  EXPECT_FALSE(scaling_of(computation([](double p) { return p; }), said).open);
  // An argument that the work does not depend on.
  const ScalingKind measured = scaling_of(computation([](double) { return 3; }), said);
  EXPECT_EQ(measured.scaling, Scaling::kStrong);
  EXPECT_EQ(measured.source, ScalingSource::kMeasured);
  EXPECT_EQ(measured.contradiction, "{np} in '-s {np}' would be weak scaling");
}

TEST(ScalingKind, WhatTheUserSaysCountsAndIsContradictedAloud) {
  ScalingSaid said;
  said.profile = Scaling::kWeak;
  const auto constant = computation([](double) { return 3; });
  const ScalingKind profile = scaling_of(constant, said);
  EXPECT_EQ(profile.scaling, Scaling::kWeak);
  EXPECT_EQ(profile.source, ScalingSource::kProfile);
  EXPECT_EQ(profile.contradiction, "computation of all ranks goes as P^0.00, as in strong scaling");
  said.option = Scaling::kStrong;
  const ScalingKind option = scaling_of(constant, said);
  EXPECT_EQ(option.scaling, Scaling::kStrong);
  EXPECT_EQ(option.source, ScalingSource::kOption);
  EXPECT_EQ(option.contradiction, "");
}

TEST(ScalingKind, ZerosTellNothing) {
  const ScalingKind kind = scaling_of(computation([](double) { return 0; }), {});
  EXPECT_EQ(kind.scaling, Scaling::kUnknown);
  EXPECT_EQ(kind.reason, "all values are 0");
}

core::Profile mixed_profile() {
  // 8 s divided and 1 s that every rank repeats: 10, 12, 16 s, ln 1.6 / ln 4 = 0.34.
  SyntheticApplication app;
  app.kernels = {{"divided", [](int np, int) { return 8.0 / np; }}, {"repeated", [](int, int) { return 1.0; }}};
  return app.profile({2, 4, 8});
}

Findings kind_findings(const core::Profile& profile, const std::vector<double>& at) {
  auto data = fit::application_data(profile);
  EXPECT_TRUE(data.ok());
  auto model = fit::fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  return application_findings(model.value(), {at});
}

TEST(ScalingKind, TheVerdictNamesItsSourceAndTheOtherReadingOfAnAssumption) {
  const Findings findings = kind_findings(mixed_profile(), {16});
  EXPECT_EQ(findings.scaling_source, ScalingSource::kAssumed);
  const TargetFindings& target = findings.targets.front();
  EXPECT_DOUBLE_EQ(*target.efficiency, *target.efficiency_strong);
  EXPECT_DOUBLE_EQ(*target.efficiency_weak, 8 * *target.efficiency_strong);
  const std::string first = verdict_of(findings).front();
  EXPECT_NE(
      first.find(
          "Scaling is strong, assumed, since no value in the command line changes with the processes: computation of "
          "all ranks goes as P^0.34."),
      std::string::npos)
      << first;
  EXPECT_NE(first.find("If the problem grows with the processes, it is "), std::string::npos) << first;
}

TEST(ScalingKind, TheProfileTellsWhatWasSaidAndHowItWasStarted) {
  core::Profile profile = mixed_profile();
  profile.scaling = "weak";
  EXPECT_EQ(kind_findings(profile, {16}).scaling_source, ScalingSource::kProfile);
  EXPECT_NE(verdict_of(kind_findings(profile, {16})).front().find("Scaling is weak, as `profile --scaling` said"),
            std::string::npos);
  profile.scaling = "auto";
  for (const char* value : {"{np}", "-s{np}", "--grid={np}x64", "64,{np}"}) {
    profile.command = {"./app", value};
    const Findings findings = kind_findings(profile, {16});
    EXPECT_EQ(findings.scaling, Scaling::kWeak) << value;
    EXPECT_EQ(findings.scaling_source, ScalingSource::kArguments) << value;
  }
  // Neither a name that contains the number of processes nor a literal says anything about the problem.
  for (const char* name : {"result.{np}", "cavity{np}", "in/{np}/grid", "{{np}"}) {
    profile.command = {"./app", name};
    EXPECT_EQ(kind_findings(profile, {16}).scaling_source, ScalingSource::kAssumed) << name;
  }
}

TEST(ScalingKind, ASizeThatStaysOrChangesWithTheProcessesSaysIt) {
  core::Profile profile = mixed_profile();
  profile.parameter_names = {"grid"};
  for (core::Run& run : profile.runs) run.parameters["grid"] = 64;
  const Findings stays = kind_findings(profile, {16, 64});
  EXPECT_EQ(stays.scaling, Scaling::kStrong);
  EXPECT_EQ(stays.scaling_source, ScalingSource::kArguments);
  for (core::Run& run : profile.runs) run.parameters["grid"] = 64 * run.np;
  const Findings changes = kind_findings(profile, {16, 1024});
  EXPECT_EQ(changes.scaling, Scaling::kWeak);
  EXPECT_EQ(changes.scaling_source, ScalingSource::kArguments);
}

}  // namespace
}  // namespace scalediag::report
