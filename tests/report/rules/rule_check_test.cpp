#include "report/rules/rule_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "fit/application/call_path_data.h"
#include "fit/profile/profile_data.h"
#include "predict/sources/network_cost.h"
#include "report/findings/application_findings.h"
#include "report/render/text/rule_text.h"
#include "report/rules/rule_application.h"
#include "report/rules/rule_parser.h"
#include "tests/fit/application/synthetic_application.h"
#include "tests/report/rules/error_of.h"

namespace scalediag::report {
namespace {

// solve takes 60 s / P and setup 1 s; an allreduce costs 1 us a call, 1200 calls a rank; others 0.01 s.
//   P            2      4      8     16     64   1024
//   solve s     30     15    7.5   3.75  0.938  0.059
//   setup s      1      1      1      1      1      1
fit::SyntheticApplication application() {
  fit::SyntheticApplication app;
  app.kernels = {{"ns::solve(int)", [](int np, int) { return 60.0 / np; }},
                 {"setup", [](int, int) { return 1.0; }},
                 {"rare", [](int, int) { return 1e-5; }}};
  app.operations = {{"MPI_Allreduce", [](int np) { return 1200.0 * np; }, [](int np) { return 8 * 1200.0 * np; },
                     [](int) { return 1e-6; }}};
  return app;
}

core::Profile repeated(const std::vector<int>& scales, const std::vector<double>& factors) {
  core::Profile all = application().profile({});
  for (size_t r = 0; r < factors.size(); ++r) {
    fit::SyntheticApplication app = application();
    for (fit::SyntheticKernel& kernel : app.kernels) {
      const auto time = kernel.time_s;
      const double factor = factors[r];
      kernel.time_s = [time, factor](int np, int rank) { return factor * time(np, rank); };
    }
    for (core::Run& run : app.profile(scales).runs) {
      run.repeat = static_cast<int>(r);
      all.runs.push_back(std::move(run));
    }
  }
  return all;
}

core::Result<RuleCheck> check_profile(const core::Profile& profile, const std::vector<std::string>& texts,
                                      bool strict = false) {
  std::vector<Rule> rules;
  for (const std::string& text : texts) {
    auto rule = parse_rule(text);
    if (!rule) return rule.error();
    rules.push_back(std::move(rule).value());
  }
  auto data = fit::application_data(profile);
  if (!data) return data.error();
  ApplicationRules source(&profile, std::move(data).value(), {}, {});
  return check_rules(rules, source, strict);
}

core::Result<RuleCheck> check(const std::vector<std::string>& texts, bool strict = false) {
  return check_profile(application().profile({2, 4, 8, 16}), texts, strict);
}

// `predict` and `check` say the same of a target: the base counts as exact in both, although its runs are 10 % apart.
TEST(RuleCheck, PredictedEfficiencyHasTheIntervalOfThePrediction) {
  const core::Profile profile = repeated({2, 4, 8, 16}, {1, 1.1});
  const auto checked = check_profile(profile, {"efficiency(np=64)>=30%"});
  ASSERT_TRUE(checked.ok());
  const auto model = fit::fit_application(fit::application_data(profile).value());
  ASSERT_TRUE(model.ok());
  const Findings findings = application_findings(model.value(), {{64}});
  const Estimate& interval = *findings.targets.front().efficiency_interval;
  const RuleValue& value = checked.value().verdicts.front().fact.value;
  EXPECT_LT(interval.low, interval.high);
  EXPECT_DOUBLE_EQ(value.value, interval.value);
  EXPECT_DOUBLE_EQ(*value.low, interval.low);
  EXPECT_DOUBLE_EQ(*value.high, interval.high);
}

TEST(RuleCheck, EveryKindPassesAndFails) {
  // From the table above; total at 64: 0.938 + 1 + 0.01 and some milliseconds of communication = 1.95 s, at 2: 31.01 s;
  // speed-up 15.9, efficiency 15.9 x 2 / 64 = 0.497; solve is behind setup at 1024, and setup in front.
  const std::pair<const char*, const char*> pass_and_fail[] = {
      {"total(np=64)<3s", "total(np=64)<1s"},
      {"run(np=64)<3s", "run(np=64)<1s"},
      {"computation(np=64)<3s", "computation(np=64)<1s"},
      {"communication(np=64)<1s", "communication(np=64)<1us"},
      {"waiting(np=64)<1s", "waiting(np=64)>1s"},
      {"others(np=64)<1s", "others(np=64)>1s"},
      {"speedup(np=64)>10", "speedup(np=64)>25"},
      {"efficiency(np=64)>=30%", "efficiency(np=64)>=80%"},
      {"kernel('solve').time(np=64)<2s", "kernel('solve').time(np=64)<0.1s"},
      {"kernel('solve').rank(np=1024)>1", "kernel('setup').rank(np=1024)>3"},
      {"kernel('setup').share(np=64)<0.8", "kernel('setup').share(np=64)<0.2"},
      {"kernel('MPI_Allreduce').metric('calls', np=64)<1e5", "kernel('MPI_Allreduce').metric('calls', np=64)<1e4"},
      // 1200 calls of 64 ranks.
      {"kernel('MPI_Allreduce').metric('calls', np=64)<=76800", "kernel('MPI_Allreduce').metric('calls', np=64)<76800"},
      {"growth(kernel('solve'))<=-0.5", "growth(kernel('setup'))<=-0.5"},
      {"growth(total, np=64)<0", "growth(total, np=64)<-0.95"},
      {"scales(kernel('solve'))", "scales(kernel('setup'))"},
  };
  for (const auto& [pass, fail] : pass_and_fail) {
    const auto checked = check({pass, fail});
    ASSERT_TRUE(checked.ok()) << pass << ": " << checked.error().message;
    EXPECT_TRUE(checked.value().verdicts[0].passed) << pass << ": " << checked.value().verdicts[0].fact.value.value;
    EXPECT_FALSE(checked.value().verdicts[1].passed) << fail << ": " << checked.value().verdicts[1].fact.value.value;
    EXPECT_EQ(checked.value().verdicts[0].fact.origin, Origin::kPredicted) << pass;
    EXPECT_FALSE(checked.value().passed());
  }
}

// A run that was too short for a sample has no kernels; what it took besides, 0.01 s at start and end, is its total.
TEST(RuleCheck, ARunWithoutKernelsHasATotal) {
  const auto checked =
      check_profile(fit::SyntheticApplication{}.profile({2, 4, 8, 16}), {"total(np=2)<0.011s", "total(np=2)<0.009s"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  EXPECT_TRUE(checked.value().verdicts[0].passed);
  EXPECT_FALSE(checked.value().verdicts[1].passed);
}

TEST(RuleCheck, WhatReachesOverTheLimitIsUncertainAndStrictlyFails) {
  const auto first = check({"kernel('solve').time(np=1024)<1s"});
  ASSERT_TRUE(first.ok());
  const RuleValue value = first.value().verdicts[0].fact.value;
  ASSERT_TRUE(value.low && value.high);
  ASSERT_LT(*value.low, value.value);
  const std::string holds = "kernel('solve').time(np=1024)<" + std::to_string((value.value + *value.high) / 2) + "s";
  const std::string fails = "kernel('solve').time(np=1024)<" + std::to_string((value.value + *value.low) / 2) + "s";
  for (const bool strict : {false, true}) {
    const auto checked = check({holds, fails}, strict);
    ASSERT_TRUE(checked.ok());
    const auto& verdicts = checked.value().verdicts;
    EXPECT_TRUE(verdicts[0].holds && !verdicts[0].certain);
    EXPECT_EQ(verdicts[0].passed, !strict);
    EXPECT_FALSE(verdicts[1].holds || verdicts[1].certain || verdicts[1].passed);
  }
}

// Where misses of the last cache show in what was measured, a time of another problem size is not certain.
TEST(RuleCheck, MemoryContentionLeavesOtherProblemsUncertain) {
  const auto check_with = [](double ratio, const std::string& text) {
    core::Profile profile = application().profile({2, 4, 8, 16});
    profile.parameter_names = {"grid"};
    for (core::Run& run : profile.runs) {
      run.parameters["grid"] = 64;
      core::Kernel& solve = run.kernels.front();
      solve.resources["llc_miss_ratio"] = ratio;
      solve.metrics["memory_accesses"] = {1e6 * run.np, 1e6, 1e6, 1e6, 0, 0};
    }
    auto data = fit::application_data(profile);
    fit::ApplicationOptions options;
    options.fit.size = "grid";
    ApplicationRules source(&profile, std::move(data).value(), options, {});
    return check_rules({parse_rule(text).value()}, source, true);
  };
  const char* other = "total(np=16, grid=65)<1h";
  const auto doubtful = check_with(2e-4, other);
  ASSERT_TRUE(doubtful.ok()) << error_of(doubtful);
  EXPECT_TRUE(doubtful.value().verdicts[0].holds);
  EXPECT_FALSE(doubtful.value().passed());
  ASSERT_EQ(doubtful.value().notes.size(), 1u);
  EXPECT_NE(doubtful.value().notes[0].find("more than 1e-4 of the memory accesses"), std::string::npos);
  EXPECT_TRUE(check_with(0.5e-4, other).value().passed());
  EXPECT_TRUE(check_with(2e-4, "kernel('MPI_Allreduce').metric('calls', np=16, grid=65)<1e9").value().passed());
  EXPECT_TRUE(check_with(2e-4, "total(np=64, grid=64)<1h").value().passed());
}

TEST(RuleCheck, MeasuredScalesAreJudgedByTheirRuns) {
  // Two runs of 0.98 and 1.02 of the table: solve at 4 takes 15 s, 14.7 and 15.3; their standard deviation is 0.424 and
  // Student's quantile of one degree 6.314, so that the half interval is 6.314 x 0.424 / sqrt(2) = 1.894.
  const auto checked = check_profile(
      repeated({2, 4}, {0.98, 1.02}),
      {"kernel('solve').time(np=4)<14s", "kernel('solve').time(np=4)<20s", "kernel('solve').rank(np=4)>1"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  const RuleVerdict& verdict = checked.value().verdicts[0];
  EXPECT_EQ(verdict.fact.origin, Origin::kMeasured);
  EXPECT_NEAR(verdict.fact.value.value, 15, 1e-9);
  EXPECT_NEAR(*verdict.fact.value.low, 15 - 1.894, 1e-3);
  EXPECT_NEAR(*verdict.fact.value.high, 15 + 1.894, 1e-3);
  EXPECT_FALSE(verdict.holds || verdict.certain);
  EXPECT_TRUE(checked.value().verdicts[1].holds && checked.value().verdicts[1].certain);
  EXPECT_FALSE(checked.value().verdicts[2].holds);
  EXPECT_TRUE(checked.value().verdicts[2].certain);
}

// CPU clock: an allreduce took 1 us and 9 us more were burnt while it waited, 1200 of them 10.8 ms a rank; the calls at
// their shortest take 1.2 ms. 15 s of solve at 4, 1 s of setup and 0.01 s of others are as they were measured.
TEST(RuleCheck, WhatIsModelledAtMeasuredScalesIsNotCalledMeasured) {
  fit::SyntheticApplication app = application();
  app.operations.front().blocked_s = [](int) { return 1200 * 9e-6; };
  const std::vector<std::string> rules = {"total(np=4)<100s",
                                          "communication(np=4)<1s",
                                          "computation(np=4)<100s",
                                          "others(np=4)<1s",
                                          "speedup(np=4)>1",
                                          "kernel('solve').time(np=4)<99s",
                                          "kernel('solve').share(np=4)<1",
                                          "kernel('MPI_Allreduce').time(np=4)<1s"};
  const auto checked = check_profile(app.profile({2, 4}), rules);
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  const Origin expected[] = {Origin::kModelled, Origin::kModelled, Origin::kMeasured, Origin::kMeasured,
                             Origin::kModelled, Origin::kMeasured, Origin::kModelled, Origin::kModelled};
  const auto& verdicts = checked.value().verdicts;
  for (size_t i = 0; i < rules.size(); ++i) EXPECT_EQ(verdicts[i].fact.origin, expected[i]) << rules[i];
  EXPECT_NEAR(verdicts[0].fact.value.value, 16.0112, 1e-3);  // and some microseconds of "rare"
  EXPECT_NE(verdicts[0].fact.evidence.find("`scalediag show` prints 16.022 s"), std::string::npos)
      << verdicts[0].fact.evidence;
  EXPECT_NE(check_text(checked.value(), {}).find("modelled at np=4"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(check_json(checked.value()).value())["rules"][0]["source"], "modelled");

  app.clock = core::Clock::kWall;
  const auto wall = check_profile(app.profile({2, 4}), rules);
  ASSERT_TRUE(wall.ok()) << error_of(wall);
  for (const RuleVerdict& verdict : wall.value().verdicts) EXPECT_EQ(verdict.fact.origin, Origin::kMeasured);
  EXPECT_NEAR(wall.value().verdicts[0].fact.value.value, 16.022, 1e-3);
}

// Messages take 1 ms from rank to rank on another network: an allreduce of two ranks no less, 1200 of them 1.2 s.
TEST(RuleCheck, AGivenNetworkPricesMeasuredScalesToo) {
  auto cost = predict::network_cost(loggp::uniform_network(loggp::Segment{}, 1e-3), "network.json");
  ASSERT_TRUE(cost.ok());
  fit::ApplicationOptions fitting;
  fitting.network = std::move(cost).value();
  const core::Profile profile = application().profile({2, 4, 8});
  ApplicationRules source(&profile, fit::application_data(profile).value(), fitting, {});
  std::vector<Rule> rules;
  for (const char* text : {"communication(np=2)>1s", "kernel('MPI_Allreduce').time(np=2)>1s", "total(np=2)>32s",
                           "computation(np=2)<32s"}) {
    rules.push_back(parse_rule(text).value());
  }
  const auto checked = check_rules(rules, source, false);
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  const auto& verdicts = checked.value().verdicts;
  for (const RuleVerdict& verdict : verdicts) EXPECT_TRUE(verdict.holds) << verdict.fact.value.value;
  EXPECT_EQ(verdicts[0].fact.origin, Origin::kPredicted);
  EXPECT_EQ(verdicts[1].fact.origin, Origin::kPredicted);
  EXPECT_EQ(verdicts[2].fact.origin, Origin::kPredicted);
  EXPECT_EQ(verdicts[3].fact.origin, Origin::kMeasured);
}

TEST(RuleCheck, OneRunIsNeverCertain) {
  const auto checked = check({"total(np=4)<1000s", "kernel('MPI_Allreduce').metric('calls', np=4)<1e4"});
  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked.value().verdicts[0].holds);
  EXPECT_FALSE(checked.value().verdicts[0].certain);
  // Calls are counted, not sampled.
  EXPECT_TRUE(checked.value().verdicts[1].certain);
}

// Hardware counts are charged to the functions that samples fall into, simulated ones to those that execute.
TEST(RuleCheck, CountsOfHardwareAreNotExact) {
  fit::SyntheticApplication app = application();
  app.kernels[1].instructions = [](int) { return 1e9; };
  const std::vector<std::string> rules = {"kernel('setup').metric('instructions', np=4)<2e9",
                                          "kernel('MPI_Allreduce').metric('calls', np=4)<1e4"};
  core::Profile profile = app.profile({2, 4});
  for (const bool simulated : {true, false}) {
    for (core::Run& run : profile.runs) run.counters = simulated ? "simulated" : "papi";
    const auto checked = check_profile(profile, rules);
    ASSERT_TRUE(checked.ok()) << error_of(checked);
    const auto& verdicts = checked.value().verdicts;
    EXPECT_EQ(verdicts[0].certain, simulated);
    EXPECT_EQ(verdicts[0].fact.value.low.has_value(), simulated);
    EXPECT_TRUE(verdicts[1].certain);
  }
}

// 4e9 instructions of setup on 4 ranks are known to 1e8, 2.5 %: of 2 runs, which have the same counts, 1.6449 x that at
// 90 %. One run has no interval.
TEST(RuleCheck, CountsOfFewRoundsAreAsExactAsTheirErrorsSay) {
  fit::SyntheticApplication app = application();
  app.kernels[1].instructions = [](int) { return 1e9; };
  core::Profile profile = app.profile({2, 4});
  for (core::Run& run : profile.runs) run.kernels[1].count_errors = {{"instructions", 0.025e9 * run.np}};
  const std::vector<std::string> rules = {"kernel('setup').metric('instructions', np=4)<2e9"};
  const auto one = check_profile(profile, rules);
  ASSERT_TRUE(one.ok()) << error_of(one);
  EXPECT_FALSE(one.value().verdicts[0].certain);
  for (core::Run run : std::vector(profile.runs)) {
    run.repeat = 1;
    profile.runs.push_back(std::move(run));
  }
  const auto two = check_profile(profile, rules);
  ASSERT_TRUE(two.ok()) << error_of(two);
  EXPECT_NEAR(*two.value().verdicts[0].fact.value.low, 1e9 * (1 - 1.6449 * 0.025), 1e4);
  EXPECT_NEAR(*two.value().verdicts[0].fact.value.high, 1e9 * (1 + 1.6449 * 0.025), 1e4);
}

// Two equal runs: only sampling remains. setup takes 1 s a rank, 1000 samples; at the smallest scale 2 ranks x 2 runs
// make 4000, known to 1.6449 / sqrt(4000) = 2.6 % at 90 %.
TEST(RuleCheck, TimesAreKnownAsSamplingKnowsThem) {
  const auto checked = check_profile(repeated({2, 4}, {1, 1}),
                                     {"kernel('setup').time(np=4)<2s", "kernel('setup').metric('time_s', np=4)<2s",
                                      "kernel('setup').metric('critical_s', np=4)<2s"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  const double half = 1.6449 / std::sqrt(4000.0);
  for (const RuleVerdict& verdict : checked.value().verdicts) {
    EXPECT_EQ(verdict.fact.origin, Origin::kMeasured);
    EXPECT_NEAR(verdict.fact.value.value, 1, 1e-9) << verdict.rule.text;
    EXPECT_NEAR(*verdict.fact.value.low, 1 - half, 1e-5) << verdict.rule.text;
    EXPECT_NEAR(*verdict.fact.value.high, 1 + half, 1e-5) << verdict.rule.text;
  }
}

// setup executes the same at every scale, and its time rises by chance: by its resources it stays at the geometric
// mean, by the time's own model it rises.
TEST(RuleCheck, ATimeIsTheSameByItsMetric) {
  fit::SyntheticApplication app = application();
  const std::map<int, double> disturbed = {{2, 1.00}, {4, 0.99}, {8, 1.02}, {16, 1.04}};
  app.kernels[1].time_s = [disturbed](int np, int) { return disturbed.at(np); };
  app.kernels[1].instructions = [](int) { return 1e9; };
  const core::Profile profile = app.profile({2, 4, 8, 16});
  const auto model = fit::fit_application(fit::application_data(profile).value());
  ASSERT_TRUE(model.ok());
  const fit::KernelModel* setup = nullptr;
  for (const fit::KernelModel& k : model.value().kernels()) {
    if (k.data().name == "setup") setup = &k;
  }
  ASSERT_NE(setup, nullptr);
  ASSERT_EQ(setup->method(), fit::Method::kResources);
  const std::vector<double> at = {1024};
  const double by_resources = std::pow(1.00 * 0.99 * 1.02 * 1.04, 0.25);
  ASSERT_GT(std::abs(setup->model("time_s")->value(at) - by_resources), 1e-3) << "both ways say the same";

  const auto checked =
      check_profile(profile, {"kernel('setup').time(np=1024)<9s", "kernel('setup').metric('time_s', np=1024)<9s",
                              "kernel('setup').metric('critical_s', np=1024)<9s"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  const RuleFact& time = checked.value().verdicts[0].fact;
  const RuleFact& metric = checked.value().verdicts[1].fact;
  const RuleFact& slowest = checked.value().verdicts[2].fact;
  EXPECT_NEAR(time.value.value, by_resources, 1e-3);
  EXPECT_EQ(metric.value.value, time.value.value);
  EXPECT_EQ(metric.value.low, time.value.low);
  EXPECT_EQ(metric.value.high, time.value.high);
  EXPECT_EQ(metric.formula, time.formula);
  // The slowest rank takes no less than the mean, and is widened as the mean is.
  EXPECT_EQ(slowest.value.value, setup->critical_s(at).value);
  EXPECT_EQ(slowest.value.high, setup->critical_s(at).high);
}

// The calls at their shortest are the same ones in every run: 1200 of 1 us, 1.2 ms. The agreement of both runs says
// nothing about their error.
TEST(RuleCheck, RepeatsOfModelledTimesAreNoError) {
  const auto checked = check_profile(
      repeated({2, 4}, {0.98, 1.02}),
      {"kernel('MPI_Allreduce').time(np=4)<1s", "communication(np=4)<1s", "kernel('MPI_Allreduce').share(np=4)<50%",
       "total(np=4)<100s", "growth(communication, np=4)<2", "kernel('MPI_Allreduce').rank(np=4)>2"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  const auto& verdicts = checked.value().verdicts;
  for (const size_t i : {0u, 1u, 2u, 4u}) {
    EXPECT_TRUE(verdicts[i].holds && !verdicts[i].certain) << verdicts[i].rule.text;
    EXPECT_FALSE(verdicts[i].fact.value.low) << verdicts[i].rule.text;
  }
  EXPECT_TRUE(verdicts[3].certain);
  // It is certainly behind solve and setup, which take thousands of times as long.
  EXPECT_TRUE(verdicts[5].holds && verdicts[5].certain);
  EXPECT_NEAR(verdicts[0].fact.value.value, 1.2e-3, 1e-9);
  const std::string text = check_text(checked.value(), {});
  EXPECT_NE(text.find("1.200 ms (error not known: it was not measured), modelled at np=4\n"
                      "      CPU clock: MPI calls count as the shortest ones took; `scalediag show` prints 1.2000 ms"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("uncertain: nothing is known about the value's error"), std::string::npos) << text;
  EXPECT_EQ(text.find("reaches over the limit"), std::string::npos) << text;
}

TEST(RuleCheck, ABaseThatWasNotMeasuredIsCalledPredicted) {
  core::Profile profile = application().profile({2, 4, 8, 16, 4, 8, 16});
  profile.parameter_names = {"grid"};
  for (size_t i = 0; i < profile.runs.size(); ++i) {
    profile.runs[i].parameters = {{"grid", i < 4 ? 64.0 : 128.0}};
    profile.runs[i].id += "." + std::to_string(i);
  }
  const auto checked = check_profile(profile, {"speedup(np=16, grid=64)>1", "speedup(np=16, grid=128)>1"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  EXPECT_NE(checked.value().verdicts[0].fact.evidence.find(" at np=2 grid=64, "), std::string::npos)
      << checked.value().verdicts[0].fact.evidence;
  EXPECT_NE(checked.value().verdicts[1].fact.evidence.find(" at np=2 grid=128 (predicted), "), std::string::npos)
      << checked.value().verdicts[1].fact.evidence;
}

TEST(RuleCheck, OneMeasuredScaleNeedsNoModel) {
  const core::Profile profile = application().profile({4});
  EXPECT_EQ(error_of(check_profile(profile, {"total(np=4)<100s", "speedup(np=4)>=1"})), "");
  EXPECT_NE(error_of(check_profile(profile, {"total(np=8)<100s"})), "");
}

// Every rank waits 2 s for its device, at all scales.
TEST(RuleCheck, TimeInCallsOfGpusHasRulesWhereItWasSeen) {
  fit::SyntheticApplication app = application();
  app.kernels.push_back({"[GPU wait] f", [](int, int) { return 2.0; }, nullptr, 0, core::KernelKind::kGpu});
  const auto checked = check_profile(app.profile({2, 4, 8, 16}), {"gpu(np=16)<3s", "gpu(np=16)<1s"});
  ASSERT_TRUE(checked.ok()) << error_of(checked);
  EXPECT_TRUE(checked.value().verdicts.at(0).passed);
  EXPECT_FALSE(checked.value().verdicts.at(1).passed);
  for (const char* rule : {"gpu(np=64)<1s", "growth(gpu, np=64)<1"}) {
    EXPECT_EQ(error_of(check({rule})), "column 1: no call of a GPU's library was seen; docs/gpu.md tells what is seen")
        << rule;
  }
}

TEST(RuleCheck, NamesThatTheDataDoNotHaveAreSuggested) {
  EXPECT_EQ(error_of(check({"kernel('slove').rank(np=64)>1"})),
            "column 8: there is no kernel 'slove'; did you mean 'solve'?");
  EXPECT_EQ(error_of(check({"total(npp=64)<1s"})),
            "column 7: there is no parameter 'npp'; did you mean 'np'? the data have: np");
  EXPECT_EQ(error_of(check({"total(np=1)<1s"})),
            "column 7: np=1 is below the measured range (2 to 16); predictions go to larger scales; measure this one");
  EXPECT_EQ(error_of(check({"total(np=1e12)<1s"})),
            "column 7: 1000000000000 is more than 1e9 processes; no model reaches that far");
  EXPECT_EQ(error_of(check({"total(np=2.5)<1s"})), "column 7: 2.5 is not a whole number of processes; ");
  const std::string metric = error_of(check({"kernel('setup').metric('time_ss', np=64)<1"}));
  EXPECT_EQ(metric.substr(0, metric.find('?')),
            "column 24: kernel 'setup' has no metric 'time_ss'; did you mean 'time_s'");
  EXPECT_EQ(error_of(check({"kernel('rare').rank(np=64)>1"})),
            "column 8: kernel 'rare' was seen in too few samples to be judged; measure longer runs, or with a higher "
            "`scalediag profile --rate`");
}

TEST(RuleCheck, ParameterWithSeveralValuesHasToBeNamed) {
  const RuleDomain domain{{"np", "grid"}, 0, true, {{2, 64}, {4, 64}, {4, 128}}};
  const auto target = [&](const char* text) { return rule_target(parse_rule(text).value(), domain); };
  EXPECT_EQ(target("total(np=8, grid=96)<1s").value(), (std::vector<double>{8, 96}));
  EXPECT_FALSE(target("total(np=8)<1s").ok());
  EXPECT_EQ(target("total(np=8)<1s").error().hint, "add grid=128");
  EXPECT_EQ(target("growth(total, grid=64)<1").value(), (std::vector<double>{16, 64}));
}

TEST(RuleCheck, JsonHoldsTheEvidence) {
  const auto checked = check({"efficiency(np=64)>=80%", "scales(kernel('setup'))"});
  ASSERT_TRUE(checked.ok());
  const auto text = check_json(checked.value());
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["schema"], "scalediag-check/1");
  EXPECT_EQ(json["passed"], false);
  const auto& rule = json["rules"][0];
  EXPECT_EQ(rule["rule"], "efficiency(np=64)>=80%");
  EXPECT_EQ(rule["at"]["np"].dump(), "64");
  EXPECT_EQ(rule["source"], "predicted");
  EXPECT_EQ(rule["limit"], 0.8);
  EXPECT_LE(rule["low"], rule["value"]);
  EXPECT_GE(rule["high"], rule["value"]);
  EXPECT_EQ(json["rules"][1]["scales"], false);
  EXPECT_NE(json["rules"][1]["evidence"].get<std::string>().find("does not scale from"), std::string::npos);
}

TEST(RuleCheck, TextNamesVerdictValueAndSource) {
  const auto checked = check({"total(np=64)<1s", "speedup(np=64)>10"});
  ASSERT_TRUE(checked.ok());
  const std::string text = check_text(checked.value(), {});
  EXPECT_NE(text.find("FAIL  total(np=64)<1s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("PASS  speedup(np=64)>10\n"), std::string::npos) << text;
  EXPECT_NE(text.find("predicted at np=64"), std::string::npos) << text;
  EXPECT_NE(text.find("2 rules, 1 failed"), std::string::npos) << text;
}

}  // namespace
}  // namespace scalediag::report
