#include "report/findings/application_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fit/counts/count_hypothesis.h"
#include "fit/curves/fit.h"
#include "fit/profile/profile_data.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/predict_text.h"
#include "report/render/verdict.h"
#include "tests/report/findings/findings_of.h"

namespace scalediag::report {
namespace {

// Calls of which no law of process grids is met: the general model gives parts of a call.
TEST(ApplicationFindings, PredictedCallsAreWhole) {
  SyntheticApplication app = one_of_each();
  app.operations.push_back({"MPI_Put", [](int np) { return std::round(7 * std::pow(np, 1.3)) + np % 3; },
                            [](int np) { return 8.0 * np; }, [](int) { return 1e-4; }});
  const TargetFindings target = findings_of(app, {{100}}).targets.front();
  const Estimate& calls = finding(target, "MPI_Put").metrics.at("calls");
  for (const double value : {calls.value, calls.low, calls.high}) EXPECT_EQ(value, std::round(value));
  EXPECT_LT(calls.low, calls.high);
}

// Twelve functions that do not shrink, of 2 to 16 samples each and so too few, together enough: their sum has a place
// in the list, and nobody is accused for the others.
TEST(ApplicationFindings, TheSumOfSmallFunctionsIsNotAccused) {
  SyntheticApplication app;
  app.kernels = {{"work", [](int np, int) { return 40.0 / np; }}};
  for (int i = 0; i < 12; ++i) {
    app.kernels.push_back({"small" + std::to_string(i), [](int, int) { return 0.05; }, nullptr, 20});
  }
  const TargetFindings target = findings_of(app, {{64}}).targets.front();
  const KernelFinding& small = finding(target, "[12 small functions]");
  EXPECT_EQ(small.pooled, 12);
  EXPECT_TRUE(small.matters);
  EXPECT_NEAR(small.estimate.value, 0.6, 0.1);
  EXPECT_FALSE(small.scales);
}

TEST(ApplicationFindings, GiveTheMetricsOfResourcesAtTheTarget) {
  const Findings findings = findings_of(fit::profile_with_resources({2, 4, 8, 16, 32}), {{64}});
  const auto json = nlohmann::json::parse(findings_json(findings).value());
  const auto& sweep = json["targets"][0]["kernels"][0];
  // 2 s of hits of the first level divided by 64, and 10 million accesses to memory of 100 ns.
  EXPECT_NEAR(sweep["t_mem_l1_s"]["value"].get<double>(), 2.0 / 64, 1e-3);
  EXPECT_NEAR(sweep["t_mem_memory_s"]["value"].get<double>(), 1, 0.02);
  EXPECT_NEAR(sweep["bf_mem"]["value"].get<double>(), 0.25, 0.01);
  EXPECT_TRUE(sweep["resource_notes"]["stalls_derived"].get<std::string>().find("BF_mem is relative") !=
              std::string::npos);
}

// Of a rank's 60 / P s of CPU time nothing tells that it sleeps 2 s besides at every scale: the sentence that says how
// much faster it gets does. At 32, the largest measured scale, that is the largest share.
TEST(Verdict, SaysThatWaitingIsInNoPrediction) {
  SyntheticApplication app;
  app.kernels = {{"work", [](int np, int) { return 60.0 / np; }}};
  core::Profile profile = app.profile({2, 4, 8, 16, 32});
  EXPECT_EQ(verdict_of(findings_of(profile, {{64}})).front().find("Not counted"), std::string::npos);
  for (core::Run& run : profile.runs) {
    run.times.asleep_s = core::OverRanks{2.0 * run.np, 2, 2, 2, 0, 0};
    run.times.children_s = core::OverRanks{0.001 * run.np, 0.001, 0.001, 0.001, 0, 0};
  }
  const std::string first = verdict_of(findings_of(profile, {{64}})).front();
  EXPECT_NE(first.find(" Not counted: ranks sleep or wait outside MPI for 2.0000 s; the run that is counted takes "
                       "1.8750 s at np=32. "),
            std::string::npos)
      << first;
  EXPECT_EQ(first.find("processes"), std::string::npos) << first;
  for (core::Run& run : profile.runs) run.times.children_s->mean = 8;
  const std::string both = verdict_of(findings_of(profile, {{64}})).front();
  EXPECT_NE(both.find("for 2.0000 s, and processes that they start take 8.0000 s; the run that is counted takes 1.8750 "
                      "s at np=32. "),
            std::string::npos)
      << both;
}

// 4.8 / P s on each rank and 0.14 s on rank 0 alone: at 1024 ranks rank 0 computes 0.1447 s. A function with few
// samples, 13.5 ms on each rank, is nearly all of the others' work there, so that the quotient of the slowest rank and
// the mean is no measure.
TEST(ApplicationFindings, WaitingForOneRankIsNoMultipleOfWhatNoiseAdds) {
  SyntheticApplication app;
  app.kernels = {
      {"solve", [](int np, int) { return 4.8 / np; }},
      {"write", [](int, int rank) { return rank == 0 ? 0.14 : 0.0; }},
      {"seen_now_and_then", [](int np, int) { return np == 16 ? 0.0135 : 0.0; }, nullptr, 20},
  };
  const TargetFindings target = findings_of(app, {{1024}}).targets.front();
  EXPECT_GT(target.run_s->value, 0.14);
  EXPECT_LT(target.run_s->value, 0.14 + 4.8 / 1024 + 3 * 0.0135);  // what was seen once may grow
}

// The reader has to learn of an undecided kernel that takes ten times as long as the one that is certain.
TEST(Verdict, NamesWhatTakesLongerThanWhatItIsSureOf) {
  TargetFindings target;
  target.at = {{"np", 1024}};
  target.run_s = fit::Estimate{10, 8, 30, 0.9};
  target.waiting_s = fit::Estimate{7.2, 5, 20, 0.9};
  KernelFinding collective;
  collective.name = "MPI_Allreduce";
  collective.metric = "time_s";
  collective.estimate = {0.66, 0.5, 0.8, 0.9};
  collective.share = 0.066;
  collective.matters = true;
  collective.scales = false;
  collective.exponent = 0.1;
  collective.stops_at = 2;
  collective.cause = Cause::kLatency;
  KernelFinding open = collective;
  open.name = "imbalanced_part";
  open.estimate = {7.48, 1, 20, 0.9};
  open.share = 0.748;
  open.scales.reset();
  open.cause = Cause::kNone;
  target.kernels = {open, collective};
  Findings findings;
  findings.processes = "np";
  findings.scaling = Scaling::kStrong;
  findings.base = {{"np", 2}};
  findings.measured = {{{"np", 2}}, {{"np", 16}}};
  findings.targets = {target};
  std::string all;
  for (const std::string& sentence : verdict_of(findings)) all += sentence + " ";
  EXPECT_NE(
      all.find("The largest part that does not scale is MPI_Allreduce: 6.6% of the time, from np=2, message "
               "count or latency. imbalanced_part takes longer (74.8% of the time): the data do not decide whether "
               "it scales. Waiting for the slowest rank is 72.0% of the run in the mean."),
      std::string::npos)
      << all;
  findings.targets.front().kernels.front().estimate.value = 0.5;
  all.clear();
  for (const std::string& sentence : verdict_of(findings)) all += sentence + " ";
  EXPECT_EQ(all.find("imbalanced_part"), std::string::npos) << all;
}

TEST(ApplicationFindings, RankByPredictedTimeBesideTheMeasuredRank) {
  const Findings findings = findings_of(one_of_each(), {{256}});
  const TargetFindings& target = findings.targets.front();
  // At 256 replicated takes 1 s, scales 60/256 = 0.23 s and serial 2 s of rank 0; at 16 they took 1 s, 3.75 s and 2 s,
  // stalls 2 s and the slowest rank of uneven 2.5 s.
  EXPECT_EQ(finding(target, "replicated").rank, 2);
  EXPECT_EQ(finding(target, "serial").rank, 1);
  EXPECT_EQ(finding(target, "scales").rank_measured, 1);
  EXPECT_EQ(finding(target, "replicated").rank_measured, 5);
  for (size_t i = 0; i < target.kernels.size(); ++i) EXPECT_EQ(target.kernels[i].rank, static_cast<int>(i + 1));
}

// One step from 2 to 4 is as far as the data go, and so is one to 8. At 4 scales takes 15 s, serial 2 s of rank 0 and
// uneven 10 / sqrt(4) = 5 s.
TEST(ApplicationFindings, TwoScalesRankAndJudgeNothingBeyondTwiceTheLarger) {
  const Findings findings = findings_of(one_of_each().profile({2, 4}), {{8}, {9}, {64}});
  const TargetFindings& near = findings.targets.front();
  EXPECT_EQ(finding(near, "scales").rank, 1);
  EXPECT_EQ(finding(near, "replicated").scales, std::optional(false));
  for (const size_t t : {size_t{1}, size_t{2}}) {
    const TargetFindings& far = findings.targets[t];
    for (const KernelFinding& kernel : far.kernels) {
      EXPECT_EQ(kernel.rank, std::nullopt) << kernel.name;
      EXPECT_EQ(kernel.scales, std::nullopt) << kernel.name;
      EXPECT_EQ(name_of(kernel.cause) + kernel.evidence, "") << kernel.name;
      // In the order of what was measured.
      EXPECT_EQ(*kernel.rank_measured, 1 + (&kernel - far.kernels.data())) << kernel.name;
    }
  }
  const std::string text = findings_text(findings, {});
  EXPECT_NE(text.find("np=64: kernels, neither ranked nor judged, by measured time"), std::string::npos) << text;
  const std::string limit = verdict_of(findings)[1];
  EXPECT_NE(limit.find("beyond twice the larger one no kernel is ranked or judged"), std::string::npos) << limit;
  const auto json = nlohmann::json::parse(findings_json(findings).value());
  EXPECT_EQ(json["targets"][0]["kernels"][0]["rank"], 1);
  EXPECT_TRUE(json["targets"][2]["kernels"][0]["rank"].is_null());
  // A third scale checks the trend.
  EXPECT_EQ(findings_of(one_of_each().profile({2, 4, 8}), {{64}}).targets.front().kernels.front().rank, 1);
}

TEST(ApplicationFindings, SpeedupAndEfficiencyReferToTheSmallestScale) {
  SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  app.others_s = 0;
  const Findings findings = findings_of(app, {{32}});
  // 30 s at np=2, 1.875 s at 32.
  EXPECT_NEAR(*findings.targets.front().speedup, 16, 1);
  EXPECT_NEAR(*findings.targets.front().efficiency, 1, 0.06);
  EXPECT_EQ(text_of(findings.base), "np=2");
}

TEST(ApplicationFindings, EfficienciesAreThoseOfTheSlowestRank) {
  // Of 10 s together rank 0 takes 10 / sqrt(np): the mean is 10 / np, so that the load balance is 1 / sqrt(np). With
  // 1000 samples a second chance makes at most a seventh of that. A rank's 100 calls take 1 ms each.
  SyntheticApplication app;
  app.kernels = {one_of_each().kernels.back()};
  app.operations = {
      {"MPI_Send", [](int np) { return 100.0 * np; }, [](int np) { return 800.0 * np; }, [](int) { return 1e-3; }}};
  const Findings findings = findings_of(app, {{64}});
  const double scales[] = {2, 4, 8, 16};
  for (size_t i = 0; i < 4; ++i) {
    const Efficiencies& e = findings.efficiencies[i];
    const double mean = 10 / scales[i], slowest = 10 / std::sqrt(scales[i]), run = slowest + 0.1;
    EXPECT_FALSE(e.predicted);
    EXPECT_NEAR(e.load_balance, mean / slowest, 1e-9) << scales[i];
    EXPECT_NEAR(e.communication_efficiency, slowest / run, 1e-9) << scales[i];
    EXPECT_NEAR(e.parallel_efficiency, mean / run, 1e-9) << scales[i];
  }
}

TEST(ApplicationFindings, ImbalanceThatSamplingMakesIsNotCounted) {
  // Rank 0 takes a tenth more than the others: at one sample a second, some of a rank, that is chance; at 100,000 not.
  const auto load_balance = [](double samples_a_second) {
    SyntheticApplication app;
    app.kernels = {
        {"work", [](int np, int rank) { return (rank == 0 ? 44.0 : 40.0) / np; }, nullptr, samples_a_second}};
    return findings_of(app, {{64}}).efficiencies[1].load_balance;
  };
  EXPECT_EQ(load_balance(1), 1);
  // At 4 ranks (44 + 3 x 40) / 4 = 41 of 44.
  EXPECT_NEAR(load_balance(1e5), 41.0 / 44, 1e-9);
}

TEST(ApplicationFindings, WaitingIsPutDownToWhomTheRanksWaitFor) {
  // Elapsed time of the barrier is 1 s of waiting, which stays, and hardly anything else.
  const auto barrier_with = [](core::Clock clock, fit::SyntheticKernel culprit) {
    SyntheticApplication app;
    app.clock = clock;
    app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}, std::move(culprit)};
    app.operations = {{"MPI_Barrier", [](int np) { return 10.0 * np; }, [](int) { return 0.0; },
                       [](int) { return 1e-3; }, [](int) { return 1.0; }}};
    return finding(findings_of(app, {{64}}).targets.front(), "MPI_Barrier");
  };
  const fit::SyntheticKernel serial = {"ser\x1bial", [](int, int rank) { return rank == 0 ? 1.0 : 0.0; }};
  const KernelFinding behind_one = barrier_with(core::Clock::kWall, serial);
  EXPECT_EQ(behind_one.scales, std::optional(false));
  EXPECT_EQ(behind_one.cause, Cause::kSerial) << behind_one.evidence;
  EXPECT_EQ(behind_one.evidence, "ranks wait for ser\x1bial, which rank 0 does");
  // Rank 0 has 1 s more than the others, who work as well: the slowest exceeds the mean by 15/16 s at 16.
  const fit::SyntheticKernel uneven = {"uneven", [](int np, int rank) { return 8.0 / np + (rank == 0 ? 1.0 : 0.0); }};
  const KernelFinding behind_slowest = barrier_with(core::Clock::kWall, uneven);
  EXPECT_EQ(behind_slowest.cause, Cause::kImbalance) << behind_slowest.evidence;
  EXPECT_EQ(behind_slowest.evidence, "ranks wait for the slowest one's computation");
  // 0.4 s is less than half of it.
  const fit::SyntheticKernel little = {"uneven", [](int np, int rank) { return 8.0 / np + (rank == 0 ? 0.4 : 0.0); }};
  EXPECT_NE(barrier_with(core::Clock::kWall, little).cause, Cause::kImbalance);
  // With the CPU clock nothing is known about waiting.
  const Cause blind = barrier_with(core::Clock::kCpu, serial).cause;
  EXPECT_TRUE(blind != Cause::kSerial && blind != Cause::kImbalance) << name_of(blind);
}

TEST(ApplicationFindings, WithoutSamplesStrongScalingIsNoMoreThanAssumed) {
  SyntheticApplication app;
  app.kernels = {{"unseen", [](int, int) { return 50e-6; }, nullptr, 0}};
  const Findings findings = findings_of(app, {{64}});
  EXPECT_EQ(findings.scaling_source, ScalingSource::kAssumed);
  const std::string cost = verdict_of(findings).front();
  EXPECT_NE(cost.find("too little of the computation was sampled to tell."), std::string::npos) << cost;
  EXPECT_NE(cost.find("If the problem grows with the processes, it is 100.00 %."), std::string::npos) << cost;
}

TEST(ApplicationFindings, EfficienciesMultiplyUp) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  ASSERT_EQ(findings.efficiencies.size(), 5u);
  for (const Efficiencies& e : findings.efficiencies) {
    ASSERT_TRUE(e.instruction_scalability && e.ipc_scalability);
    EXPECT_NEAR(*e.computation_scalability, *e.instruction_scalability * *e.ipc_scalability, 1e-12);
  }
  EXPECT_NEAR(*findings.efficiencies.front().computation_scalability, 1, 1e-12);
  EXPECT_TRUE(findings.efficiencies.back().predicted);
}

TEST(ApplicationFindings, StartAndEndOfTheProgramAreNoCommunication) {
  // Ranks that compute alike and never communicate, in a program that takes 5 s to start.
  SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  app.others_s = 5;
  const Findings findings = findings_of(app, {{64}});
  ASSERT_FALSE(findings.efficiencies.empty());
  for (const Efficiencies& e : findings.efficiencies) {
    EXPECT_NEAR(e.communication_efficiency, 1, 1e-6) << text_of(e.at);
    EXPECT_NEAR(e.parallel_efficiency, e.load_balance, 1e-6) << text_of(e.at);
  }
}

TEST(ApplicationFindings, SpeedUpEfficiencyAndSharesAreOfTheRunWithoutStartAndEnd) {
  // 60 s divided, and 20 s to start whatever the number of ranks: from 2 to 64 the run is 32 times as fast, the whole
  // program (30 + 20) / (0.94 + 20) = 2.4 times.
  SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  app.others_s = 20;
  const TargetFindings target = findings_of(app, {{64}}).targets.front();
  EXPECT_NEAR(target.run_s->value, 60.0 / 64, 0.01);
  EXPECT_NEAR(target.others_s->value, 20, 0.2);
  EXPECT_NEAR(target.total_s->value, target.run_s->value + target.others_s->value, 1e-9);
  EXPECT_NEAR(*target.speedup, 32, 0.3);
  EXPECT_NEAR(*target.efficiency, 1, 0.01);
  EXPECT_NEAR(target.kernels.front().share, 1, 0.01);
}

TEST(ApplicationFindings, TimeThatNoSampleAccountsForIsPartOfTheRun) {
  // A fifth of the function's time, beside it.
  SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  core::Profile profile = app.profile({2, 4, 8, 16});
  for (core::Run& run : profile.runs) {
    const double lost = 12.0 / run.np;
    run.times.unattributed_s = {lost * run.np, lost, lost, lost, 0, 0};
    run.times.total_s.mean += lost;
  }
  const Findings findings = findings_of(profile, {{64}});
  const TargetFindings& target = findings.targets.front();
  EXPECT_NEAR(target.run_s->value, 72.0 / 64, 0.02);
  EXPECT_NEAR(target.unattributed_s->value, 12.0 / 64, 0.005);
  // 12 of 72.
  EXPECT_NE(verdict_of(findings)[1].find("16.7% of the run are in no function"), std::string::npos)
      << verdict_of(findings)[1];
}

TEST(ApplicationFindings, WeakScalingIsRecognised) {
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int, int) { return 4.0; }}, {"gather", [](int np, int) { return 0.05 * np; }}};
  const Findings findings = findings_of(app, {{64}});
  EXPECT_EQ(findings.scaling, Scaling::kWeak);
  EXPECT_EQ(finding(findings.targets.front(), "sweep").scales, std::optional(true));
  EXPECT_EQ(finding(findings.targets.front(), "gather").scales, std::optional(false));
}

TEST(ApplicationFindings, TheCpuClockIsExplained) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  EXPECT_EQ(findings.blocking.of_source, std::optional(1.0));
  bool told = false;
  for (const std::string& note : findings.notes) told = told || note.find("take BF_comm as 1") != std::string::npos;
  EXPECT_TRUE(told);
}

// With the wall clock and without a network: communication is all that is no computation, and the forms meet it.
TEST(ApplicationFindings, BlockingFactorNeedsNoNetwork) {
  SyntheticApplication app = one_of_each();
  app.clock = core::Clock::kWall;
  const Findings findings = findings_of(app, {{64}});
  ASSERT_EQ(findings.efficiencies.size(), 5u);
  for (const Efficiencies& e : findings.efficiencies) {
    ASSERT_TRUE(e.blocking.of_source);
    EXPECT_FALSE(e.blocking.of_network);
    if (e.predicted) continue;
    EXPECT_NEAR(*e.blocking.of_source, 1, 0.01) << text_of(e.at);
  }
  const auto json = nlohmann::json::parse(findings_json(findings).value());
  EXPECT_TRUE(json["bf_comm"].is_number());
  EXPECT_TRUE(json["bf_comm_network"].is_null());
  EXPECT_NE(findings_text(findings, {}).find("BF_comm"), std::string::npos);
}

core::Profile with_misses(double ratio) {
  core::Profile profile = one_of_each().profile({2, 4, 8, 16});
  profile.parameter_names = {"grid"};
  for (core::Run& run : profile.runs) {
    run.parameters["grid"] = 64;
    for (core::Kernel& kernel : run.kernels) {
      kernel.resources["llc_miss_ratio"] = kernel.name == "scales" ? ratio : 0;
      kernel.metrics["memory_accesses"] = {1e6 * run.np, 1e6, 1e6, 1e6, 0, 0};
    }
  }
  return profile;
}

// Test E of the source: more than 1e-4 of the accesses miss the last cache, in "scales" with 60 of 90 s at 2 ranks.
TEST(ApplicationFindings, MemoryContentionIsToldOfOtherProblems) {
  const auto told = [](const core::Profile& profile, double grid, const char* what) {
    auto data = fit::application_data(profile);
    EXPECT_TRUE(data.ok());
    fit::ApplicationOptions options;
    options.fit.size = "grid";
    const auto model = fit::fit_application(std::move(data).value(), options);
    EXPECT_TRUE(model.ok());
    const Findings findings = application_findings(model.value(), {{16, grid}});
    return std::any_of(findings.notes.begin(), findings.notes.end(),
                       [what](const std::string& note) { return note.find(what) != std::string::npos; });
  };
  const char* doubt = "predictions for other problem sizes are in doubt: more than 1e-4";
  EXPECT_TRUE(told(with_misses(2e-4), 128, doubt));
  EXPECT_FALSE(told(with_misses(2e-4), 64, doubt));
  EXPECT_FALSE(told(with_misses(0.5e-4), 128, doubt));
  core::Profile uncounted = with_misses(0);
  for (core::Run& run : uncounted.runs) {
    for (core::Kernel& kernel : run.kernels) kernel.resources.clear();
  }
  EXPECT_TRUE(told(uncounted, 128, "misses of the last cache were not counted"));
  // With a cache of a guessed size neither the doubt nor the passed test is known.
  for (const double ratio : {2e-4, 0.5e-4}) {
    core::Profile guessed = with_misses(ratio);
    for (core::Run& run : guessed.runs) {
      for (core::Kernel& kernel : run.kernels) kernel.resource_notes.emplace_back("cache_size_guessed");
    }
    EXPECT_FALSE(told(guessed, 128, doubt)) << ratio;
    EXPECT_TRUE(told(guessed, 128, "is not known: misses of the last cache were simulated with a guess")) << ratio;
    EXPECT_FALSE(told(guessed, 64, "is not known")) << ratio;
  }
}

TEST(ApplicationFindings, NobodySaysThatRanksSharedCores) {
  // The clock may have been requested.
  for (const std::string& note : findings_of(one_of_each(), {{64}}).notes) {
    EXPECT_EQ(note.find("shared"), std::string::npos) << note;
  }
}

TEST(FindingsJson, HasTheStableNames) {
  const auto text = findings_json(findings_of(one_of_each(), {{64}, {128}}));
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["schema"], "scalediag-predict/1");
  EXPECT_TRUE(json.contains("backtest"));
  ASSERT_EQ(json["targets"].size(), 2u);
  const auto& target = json["targets"][0];
  EXPECT_EQ(target["at"]["np"].dump(), "64");  // not 64.0
  EXPECT_EQ(json["backtest"]["from"].dump(), "[2,4,8]");
  for (const char* name : {"run_s", "total_s", "computation_s", "communication_s", "unattributed_s", "others_s"}) {
    for (const char* part : {"value", "low", "high", "level"}) EXPECT_TRUE(target[name].contains(part)) << name << part;
  }
  EXPECT_TRUE(target["speedup"].is_number());
  EXPECT_TRUE(target["efficiency"].is_number());
  for (const auto& kernel : target["kernels"]) {
    for (const char* name :
         {"name", "metric", "rank", "rank_measured", "estimate", "formula", "way", "scales", "stops_at", "cause"}) {
      EXPECT_TRUE(kernel.contains(name)) << name;
    }
  }
}

}  // namespace
}  // namespace scalediag::report
