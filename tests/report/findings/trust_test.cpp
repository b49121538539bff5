#include "report/findings/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "report/proposal/advice.h"
#include "report/proposal/proposal_document.h"
#include "report/render/text/first/predict_screen.h"
#include "report/render/text/rule_text.h"
#include "report/render/verdict.h"
#include "report/rules/rule_check.h"
#include "report/rules/rule_parser.h"
#include "tests/report/findings/findings_of.h"
#include "tests/report/scaling/elapsed_runs.h"

namespace scalediag::report {
namespace {

// Repeats of 2, 4, 8 and 16 ranks whose computation takes `factors` times as long, of one scale those of `noisy`.
core::Profile repeated(const std::vector<double>& factors, int noisy_np = 0, const std::vector<double>& noisy = {}) {
  core::Profile all;
  for (size_t r = 0; r < factors.size(); ++r) {
    for (const int np : {2, 4, 8, 16}) {
      const double factor = np == noisy_np ? noisy[r] : factors[r];
      SyntheticApplication app;
      app.kernels = {{"solve", [factor](int n, int) { return factor * 60.0 / n; }}};
      core::Profile one = app.profile({np});
      one.runs.front().repeat = static_cast<int>(r);
      if (all.runs.empty()) {
        all = one;
      } else {
        all.runs.push_back(one.runs.front());
      }
    }
  }
  return all;
}

Findings findings_with_runs(const core::Profile& profile, double target = 64,
                            const core::Experiment* experiment = nullptr) {
  auto model = fit::fit_application(fit::application_data(profile).value());
  EXPECT_TRUE(model.ok());
  FindingsOptions options;
  options.scaling = Scaling::kStrong;
  options.detailed = true;
  options.profile = &profile;
  options.experiment = experiment;
  Findings findings = application_findings(model.value(), {{target}}, options);
  findings.application = "app";
  return findings;
}

// A run that is predicted for 64 processes, four times the largest measured scale, of which the backtest missed so
// much.
Findings missed_by(double error) {
  Findings findings;
  findings.backtest.possible = findings.backtest.inside = true;
  findings.backtest.parameter = "np";
  findings.backtest.scale = 16;
  findings.backtest.from = {2, 4, 8};
  findings.backtest.error = error;
  TargetFindings& target = findings.targets.emplace_back();
  target.at = {{"np", 64}};
  target.beyond = 4;
  target.run_s = {17e-3, 10e-3, 40e-3, 0.9};
  return findings;
}

Trust trust_of_totals(const Findings& findings) {
  return trust_of(findings, farthest_beyond(findings), {}, nullptr, nullptr);
}

std::vector<Doubt> doubts_of(const Trust& trust) {
  std::vector<Doubt> doubts;
  for (const TrustReason& reason : trust.reasons) doubts.push_back(reason.doubt);
  return doubts;
}

size_t most_words(const std::string& text) {
  size_t most = 0, words = 0;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    most = std::max(most, ++words);
    if (word.ends_with('.')) words = 0;
  }
  return most;
}

TEST(Trust, RunsThatAgreeAreSureEnough) {
  const Findings findings = findings_with_runs(repeated({0.99, 1.01}));
  EXPECT_EQ(findings.trust.grade(), Grade::kSure) << text_of(findings.trust);
  EXPECT_EQ(text_of(findings.trust), "sure enough");
  EXPECT_TRUE(verdict_of(findings)[0].starts_with("At np=64 the run takes ")) << verdict_of(findings)[0];
}

// Ranks on two cores, 60 / np s each, whose processes take 0.25 s more to start and end: 2 ranks have a core each, and
// 16 wait for 7 others. Where np=2 ran for another 15 s beside other programs, these are more than 14.75 / 45.25 of
// its time, as 0.5 s may be its start.
TEST(Trust, ARunThatOtherProgramsSlowedIsNoBase) {
  core::Experiment experiment;
  experiment.host.cores = 2;
  for (const double lost_s : {0.0, 15.0}) {
    core::Profile profile = repeated({0.99, 1.01});
    for (core::Run& run : profile.runs) {
      run.hosts = {"node"};
      const double cpu_s = 60.0 / run.np, start_s = run.repeat == 0 ? 2 : 0.25;  // of a cold start
      run.times.cpu_s.mean = cpu_s;
      run.times.wall_s.mean = cpu_s * std::max(1, run.np / 2) + start_s + (run.np == 2 ? lost_s : 0);
    }
    const Findings findings = findings_with_runs(profile, 64, &experiment);
    EXPECT_EQ(text_of(findings.base), lost_s > 0 ? "np=4" : "np=2");
    const std::vector<Doubt> doubts = doubts_of(findings.trust);
    const bool is_doubted = std::count(doubts.begin(), doubts.end(), Doubt::kOtherPrograms) > 0;
    EXPECT_EQ(is_doubted, lost_s > 0);
    EXPECT_EQ(findings.trust.grade(), Grade::kRough);  // without a replay
    // 64 ranks take 1/16 of the time of 4, and 1/32 of that of 2.
    EXPECT_NEAR(*findings.targets.front().speedup, lost_s > 0 ? 16 : 32, 0.1);
    FindingsOptions options;
    options.profile = &profile;
    options.experiment = &experiment;
    ApplicationRules source(&profile, fit::application_data(profile).value(), {}, options);
    const RuleCheck check = check_rules({parse_rule("speedup(np=64)>1").value()}, source, false).value();
    EXPECT_NEAR(check.verdicts.front().fact.value.value, *findings.targets.front().speedup, 1e-6)
        << check.verdicts.front().fact.evidence;
    if (lost_s == 0) continue;
    // 15 s and 0.25 s of start, less 3 s that are taken for start, of 45.25 s.
    EXPECT_NE(text_of(findings.trust).find("ranks waited for a core for 27 % of the run at np=2"), std::string::npos)
        << text_of(findings.trust);
    const std::string screen = predict_screen(findings, {.width = core::kUnlimited});
    EXPECT_EQ(screen.find("measured np=2 "), std::string::npos) << screen;
    EXPECT_NE(screen.find("measured np=4 "), std::string::npos) << screen;
    EXPECT_NE(screen.find("over np=4, since other programs slowed smaller runs"), std::string::npos) << screen;
  }
}

// 25 % are allowed, and a factor of two: 2 x 16.
TEST(Trust, TheBacktestDecidesByWhatItMissed) {
  for (const auto& [error, grade] :
       {std::pair(0.24, Grade::kSure), std::pair(-0.24, Grade::kSure), std::pair(0.26, Grade::kRough),
        std::pair(-0.26, Grade::kRough), std::pair(0.99, Grade::kRough), std::pair(-0.49, Grade::kRough),
        std::pair(1.01, Grade::kNothing), std::pair(-0.51, Grade::kNothing)}) {
    EXPECT_EQ(trust_of_totals(missed_by(error)).grade(), grade) << error;
  }
  EXPECT_EQ(text_of(trust_of_totals(missed_by(-0.39))),
            "rough, because np=16, predicted from the smaller scales, came out 39 % too low");
}

// 8.335 to 763.25 is printed as 8 to 770, which is 96.25, and 4.63 to 545 as 4.6 to 550, 119.6.
TEST(Trust, FactorsAreThoseOfPrintedEnds) {
  EXPECT_DOUBLE_EQ(printed_factor({17.141, 8.335, 763.25, 0.9}), 96);
  EXPECT_DOUBLE_EQ(printed_factor({7, 4.63, 545, 0.9}), 120);
}

// The run at 64 processes is known, at 256 it is not: only the farther target has that reason, and it is the findings'.
TEST(Trust, ATargetHasTheTrustOfItsOwnInterval) {
  Findings findings = missed_by(0);
  TargetFindings far = findings.targets.front();
  far.at = {{"np", 256}};
  far.beyond = 16;
  far.run_s = {5e-3, 1e-3, 200e-3, 0.9};
  findings.targets.push_back(far);
  EXPECT_EQ(farthest_beyond(findings), &findings.targets.back());
  for (TargetFindings& target : findings.targets) target.trust = trust_of(findings, &target, {}, nullptr, nullptr);
  EXPECT_EQ(findings.targets.front().trust.grade(), Grade::kSure);
  EXPECT_EQ(text_of(findings.targets.back().trust),
            "nothing can be concluded, because the interval spans a factor of 200");
  EXPECT_EQ(answered_target(findings), &findings.targets.front());
  findings.targets.front().trust = findings.targets.back().trust;
  EXPECT_EQ(answered_target(findings), nullptr);
}

TEST(Trust, WhatNothingChecksIsRough) {
  Findings findings = missed_by(0);
  findings.backtest = {};
  EXPECT_EQ(text_of(trust_of_totals(findings)), "rough, because too few scales were measured to check a prediction");
}

TEST(Trust, AStepIsNoReasonWhereNoneIsTaken) {
  Findings findings = missed_by(0.5);
  findings.targets.front().beyond = 1;
  EXPECT_EQ(trust_of_totals(findings).grade(), Grade::kSure);
  findings.targets.front().beyond = 4;
  findings.targets.front().replayed.emplace();
  EXPECT_EQ(trust_of_totals(findings).grade(), Grade::kSure);
}

// 13 against 10 ms are 30 % apart, 12 are 20 %; 99 ms are more than ten times 9.
TEST(Trust, SourcesThatDifferAndWideIntervalsAreRough) {
  Findings findings = missed_by(0);
  const auto source = [&](predict::Component component, predict::Source by, double s) {
    predict::SourceLine& line = findings.targets.front().sources.emplace_back();
    line.component = component;
    line.source = by;
    line.estimate = Estimate{s, s, s, 0.9};
  };
  source(predict::Component::kComputation, predict::Source::kCurves, 10e-3);
  source(predict::Component::kComputation, predict::Source::kScaledTrace, 12e-3);
  source(predict::Component::kWaiting, predict::Source::kCosts, 1e-3);
  EXPECT_EQ(trust_of_totals(findings).grade(), Grade::kSure);
  source(predict::Component::kComputation, predict::Source::kScaledTrace, 13e-3);
  EXPECT_EQ(text_of(trust_of_totals(findings)), "rough, because two sources put computation 30 % apart");
  source(predict::Component::kComputation, predict::Source::kScaledTrace, 30e-3);
  EXPECT_EQ(text_of(trust_of_totals(findings)), "rough, because two sources put computation a factor of 3.0 apart");
  findings.targets.front().sources.clear();
  findings.targets.front().run_s = {17e-3, 9e-3, 99e-3, 0.9};
  EXPECT_EQ(doubts_of(trust_of_totals(findings)), std::vector{Doubt::kWideInterval});
  EXPECT_EQ(trust_of_totals(findings).grade(), Grade::kRough);
  findings.targets.front().run_s = {17e-3, 9e-3, 901e-3, 0.9};  // more than a hundred times
  EXPECT_EQ(trust_of_totals(findings).grade(), Grade::kNothing);
}

// The series that the first sentence names decides where there is no run: here that of a time, and of the exported run.
TEST(Trust, AWideIntervalOfASeriesIsAsRoughAsThatOfTheRun) {
  Findings findings = missed_by(0);
  TargetFindings& target = findings.targets.front();
  target.run_s.reset();
  const auto add = [&](const char* name, const char* metric, double high) {
    KernelFinding& kernel = target.kernels.emplace_back();
    kernel.name = name;
    kernel.metric = metric;
    kernel.estimate = {10, 5, high, 0.9};
  };
  add("main", "visits", 5000);
  add("program", "time_s", 50);  // ten times the lower end
  EXPECT_EQ(trust_of_totals(findings).grade(), Grade::kSure);
  add(fit::kWholeProgram, "run_s", 270);
  EXPECT_EQ(text_of(trust_of_totals(findings)), "rough, because the interval spans a factor of 54");
  target.kernels.back().estimate.high = 505;
  EXPECT_EQ(text_of(trust_of_totals(findings)), "nothing can be concluded, because the interval spans a factor of 100");
}

// Two repeats whose coefficient of variation is above 0.2: 0.85 and 1.15 have 0.21, 0.87 and 1.13 have 0.18. Of eight
// twice as much tells as well.
TEST(Trust, MoreRepeatsMayVaryMore) {
  EXPECT_TRUE(is_noisy({0.85, 1.15}));
  EXPECT_FALSE(is_noisy({0.87, 1.13}));
  EXPECT_FALSE(is_noisy({0.7, 1.3, 0.7, 1.3, 0.7, 1.3, 0.7, 1.3}));  // 0.32
  EXPECT_TRUE(is_noisy({0.5, 1.5, 0.5, 1.5, 0.5, 1.5, 0.5, 1.5}));   // 0.53
  EXPECT_FALSE(is_noisy({1}));
}

TEST(Trust, NoiseAtAnEndTellsNothingAndBetweenThemIsRough) {
  for (const auto& [np, grade] : {std::pair(2, Grade::kNothing), std::pair(4, Grade::kRough),
                                  std::pair(8, Grade::kRough), std::pair(16, Grade::kNothing)}) {
    const Trust trust = findings_with_runs(repeated({1, 1}, np, {0.5, 1.5})).trust;
    EXPECT_EQ(trust.grade(), grade) << np << ": " << text_of(trust);
    EXPECT_EQ(trust.doubt_at({{"np", np}}), std::optional(Doubt::kNoise)) << np;
    EXPECT_EQ(trust.doubt_at({{"np", np == 8 ? 4 : 8}}), std::nullopt) << np;
  }
}

// CPU time of 16 ranks on four cores, which is right where some were replayed with a core each.
TEST(Trust, RanksThatSharedCoresAreRoughUnlessSomeWereReplayed) {
  core::Profile profile = repeated({1, 1});
  for (core::Run& run : profile.runs) run.hosts = {"n0"};
  const core::Experiment experiment = four_cores_a_node();
  const Findings findings = findings_with_runs(profile, 64, &experiment);
  EXPECT_EQ(text_of(findings.trust), "rough, because ranks shared cores and none was measured with a core of its own");
  fit::ApplicationData data = fit::application_data(profile).value();
  data.lone_factor = 0.8;
  EXPECT_EQ(trust_of(findings, &findings.targets.front(), data, &profile, &experiment).grade(), Grade::kSure);
}

// Nodes have four cores: 32 ranks on 4 nodes are 2 a core. A tenth of the run off the CPU at 8 ranks, of which others
// go on; three tenths at the smallest.
// CPU time tells nothing of waiting for messages; where none are sent there is nothing to tell.
TEST(Trust, WithoutATraceMessagesAreADoubt) {
  const auto has = [](const Findings& findings) {
    const auto& reasons = findings.trust.reasons;
    return std::any_of(reasons.begin(), reasons.end(), [](const auto& r) { return r.doubt == Doubt::kNoTrace; });
  };
  SyntheticApplication silent = one_of_each();
  silent.operations.clear();
  EXPECT_TRUE(has(findings_of(one_of_each(), {{64}})));
  EXPECT_FALSE(has(findings_of(silent, {{64}})));
  EXPECT_FALSE(has(findings_of(one_of_each(), {{16}})));
}

// Ranks wait for GPUs for a third of the run: as many share one at all scales; 1, 1, 2 and 4; the same, while they
// wait for hardly any time.
TEST(Trust, RanksThatShareGpusAtSomeScalesOnlyAreRough) {
  const auto doubts = [](const std::function<int(int)>& ranks_of, double share) {
    core::Profile profile = repeated({0.99, 1.01});
    for (core::Run& run : profile.runs) {
      run.gpu_devices = {{"node", "0000:01:00.0", ranks_of(run.np)}};
      run.times.gpu_s.mean = share * run.times.total_s.mean;
    }
    return findings_with_runs(profile).trust;
  };
  const auto shared = [](int np) { return std::max(1, np / 4); };
  EXPECT_EQ(doubts([](int) { return 4; }, 0.33).grade(), Grade::kSure);
  const Trust trust = doubts(shared, 0.33);
  EXPECT_EQ(doubts_of(trust), std::vector{Doubt::kSharedDevices});
  EXPECT_EQ(text_of(trust),
            "rough, because up to 4 ranks shared a GPU at np=8,16, fewer at other scales, and waited for each other's "
            "kernels");
  EXPECT_EQ(doubts(shared, 0.04).grade(), Grade::kSure);
}

TEST(Trust, ElapsedTimesNeedACoreForEachRank) {
  EXPECT_EQ(text_of(modelled(on_nodes({1, 2, 4, 4}), 64).findings.trust),
            "nothing can be concluded, because ranks shared cores at np=32, 2 on each");
  core::Profile profile = on_nodes({1, 2, 4, 8});
  be_off_cpu(profile.runs[0]);
  const Trust little = modelled(profile, 64).findings.trust;
  EXPECT_EQ(little.grade(), Grade::kRough);
  EXPECT_EQ(text_of(little.reasons.front()), "ranks waited for a core for 10 % of the run at np=4");
  profile = on_nodes({1, 2, 4, 8});
  be_off_cpu(profile.runs[0], 12.3);
  EXPECT_EQ(modelled(profile, 64).findings.trust.grade(), Grade::kNothing);
}

TEST(Trust, TheWorstReasonComesFirst) {
  Trust trust;
  trust.add({Doubt::kNoLoneRank});
  trust.add({Doubt::kMissed, Grade::kRough, 0.4, {{{"np", 16}}}});
  trust.add({Doubt::kNoise, Grade::kNothing, 0.3, {{{"np", 2}}}});
  trust.add({Doubt::kNoise, Grade::kRough, 0.5, {{{"np", 8}}}});
  EXPECT_EQ(doubts_of(trust), (std::vector{Doubt::kNoise, Doubt::kMissed, Doubt::kNoLoneRank}));
  EXPECT_EQ(text_of(trust.reasons.front()), "repeats at np=2,8 vary by up to 50 %");
}

// The same runs, and every command says the same of them.
TEST(Trust, EveryCommandSaysThatNothingCanBeConcluded) {
  const core::Profile profile = repeated({1, 1}, 16, {0.5, 1.5});
  const Findings findings = findings_with_runs(profile);
  const std::string why = "because repeats at np=16 vary by 71 %.";
  EXPECT_EQ(answer_sentence(findings, findings.targets.front()),
            "Cannot be told from these runs: what the run takes at np=64, " + why);
  for (const std::string& text : verdict_of(findings)) {
    EXPECT_EQ(text.find("Efficiency"), std::string::npos) << text;
    EXPECT_EQ(text.find("times as fast"), std::string::npos) << text;
    EXPECT_LE(most_words(text), 25u) << text;
  }
  const std::string screen = predict_screen(findings, {.width = 200});
  EXPECT_NE(screen.find("  Cannot be told from these runs: "), std::string::npos) << screen;
  EXPECT_EQ(screen.find("What limits it"), std::string::npos) << screen;

  auto data = fit::application_data(profile);
  auto study = study_of({"x", profile, nullptr, data.value(), std::nullopt, ""}, findings, {});
  ASSERT_TRUE(study.ok());
  const std::string sentence = "Cannot be told from these runs: how the program scales, " + why;
  EXPECT_TRUE(advice_text(study.value(), 0.7, 200).starts_with(sentence)) << advice_text(study.value(), 0.7, 200);
  const Document document = proposal_document(proposal_of({study.value()}, {}).value());
  const auto says = [&](const DocumentBlock& block) {
    const auto* const paragraph = std::get_if<DocumentParagraph>(&block);
    return paragraph != nullptr && paragraph->text == sentence;
  };
  EXPECT_EQ(std::count_if(document.blocks.begin(), document.blocks.end(), says), 2);
  for (const ScalingRow& row : study.value().tables.front().rows) EXPECT_FALSE(row.predicted);
}

// solve takes 60 s / P: 0.94 s at 64.
TEST(Trust, ARuleThatHoldsIsUndecidedAndOneThatDoesNotFails) {
  const core::Profile profile = repeated({1, 1}, 16, {0.5, 1.5});
  FindingsOptions options;
  options.profile = &profile;
  std::vector<Rule> rules;
  for (const char* text : {"run(np=64)<5s", "run(np=64)<1ms", "kernel('solve').time(np=2)<100s"}) {
    rules.push_back(parse_rule(text).value());
  }
  const auto check = [&](std::vector<Rule> some, bool strict) {
    ApplicationRules source(&profile, fit::application_data(profile).value(), {}, options);
    return check_rules(some, source, strict).value();
  };
  const RuleCheck all = check(rules, false);
  EXPECT_TRUE(all.verdicts[0].undecided);
  EXPECT_FALSE(all.verdicts[0].passed);
  EXPECT_FALSE(all.verdicts[1].undecided || all.verdicts[1].passed);
  EXPECT_TRUE(all.verdicts[2].passed && all.verdicts[2].certain);  // measured
  EXPECT_FALSE(all.passed());
  const std::string text = check_text(all, {});
  EXPECT_TRUE(text.starts_with("UNDECIDED  run(np=64)<5s\n")) << text;
  EXPECT_NE(text.find("cannot be told from these runs, because repeats at np=16 vary by 71 %\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("FAIL (uncertain)  run(np=64)<1ms\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3 rules, 1 failed, 1 undecided, 1 uncertain;"), std::string::npos) << text;
  EXPECT_TRUE(check({rules[0]}, false).passed());
  EXPECT_FALSE(check({rules[0]}, true).passed());
}

TEST(Trust, ALargeMissIsNotReassuredByItsInterval) {
  Findings findings = missed_by(-0.39);
  EXPECT_EQ(backtest_text(findings, false),
            "np=16, predicted from 2,4,8, came out 39 % too low. The answer may be as far off. That checks 2 times the "
            "processes; the largest target has 4 times those of np=16.");
  findings.backtest.error = 0.1;
  EXPECT_NE(backtest_text(findings, false).find("10 % too high, inside its interval."), std::string::npos);
  findings.backtest.inside = false;
  EXPECT_NE(backtest_text(findings, false).find("10 % too high, OUTSIDE its interval."), std::string::npos);
}

TEST(Trust, ARoughAnswerSaysSoFirst) {
  Findings findings = missed_by(-0.39);
  findings.processes = "np";
  findings.targets.front().trust = trust_of_totals(findings);
  EXPECT_EQ(answer_sentence(findings, findings.targets.front()),
            "Rough: at np=64 the run takes 17 ms, between 10 and 40.");
  const std::string screen = predict_screen(findings, {.width = 200});
  EXPECT_NE(screen.find("How sure: rough, because np=16, predicted from the smaller scales, came out 39 % too low\n"),
            std::string::npos)
      << screen;
}

}  // namespace
}  // namespace scalediag::report
