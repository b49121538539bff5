#include "report/findings/application_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "fit/application/call_path_data.h"
#include "fit/counts/count_hypothesis.h"
#include "fit/curves/fit.h"
#include "fit/profile/profile_data.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/terminal.h"
#include "report/render/verdict.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {
namespace {

using fit::SyntheticApplication;

// One kernel of each kind, with counts like those of the samples. Instructions are counted where the time alone is not
// enough.
SyntheticApplication one_of_each() {
  SyntheticApplication app;
  const auto falls = [](double seconds) { return [seconds](int np, int) { return seconds / np; }; };
  app.kernels = {
      {"scales", falls(60), [](int np) { return 6e10 / np; }},
      {"replicated", [](int, int) { return 1.0; }, [](int) { return 1e9; }},
      // Instructions fall as the work does; the time of an instruction grows as sqrt(P).
      {"stalls", [](int np, int) { return 8 / std::sqrt(np); }, [](int np) { return 8e9 / np; }},
      {"serial", [](int, int rank) { return rank == 0 ? 2.0 : 0.0; }, [](int np) { return 2e9 / np; }},
      {"uneven", [](int np, int rank) { return rank == 0 ? 10 / std::sqrt(np) : (10 - 10 / std::sqrt(np)) / (np - 1); },
       [](int np) { return 1e10 / np; }},
  };
  app.operations = {
      // The halo of cg with a large matrix: the bytes of a rank stay.
      {"MPI_Sendrecv", [](int np) { return 1000.0 * (np - 1); }, [](int np) { return 61440.0 * 1000 * (np - 1); },
       [](int) { return 300e-6; }},
      {"MPI_Allreduce", [](int np) { return 1200.0 * np; }, [](int np) { return 8 * 1200.0 * np; },
       [](int np) { return 100e-6 * std::log2(np); }},
  };
  return app;
}

Findings findings_of(const core::Profile& profile, const std::vector<std::vector<double>>& targets) {
  auto data = fit::application_data(profile);
  EXPECT_TRUE(data.ok());
  auto model = fit::fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  return application_findings(model.value(), targets);
}

Findings findings_of(const SyntheticApplication& app, const std::vector<std::vector<double>>& targets) {
  return findings_of(app.profile({2, 4, 8, 16}), targets);
}

const KernelFinding& finding(const TargetFindings& target, const std::string& name) {
  for (const KernelFinding& k : target.kernels) {
    if (k.name == name) return k;
  }
  ADD_FAILURE() << "no kernel " << name;
  return target.kernels.front();
}

TEST(ApplicationFindings, NameEveryKernelThatDoesNotScaleWithItsCause) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  EXPECT_EQ(findings.scaling, Scaling::kStrong);
  const TargetFindings& target = findings.targets.front();
  EXPECT_EQ(finding(target, "scales").scales, std::optional(true));
  EXPECT_EQ(finding(target, "scales").cause, "");
  const std::pair<const char*, const char*> expected[] = {{"replicated", kWork},     {"stalls", kMemory},
                                                          {"serial", kSerial},       {"uneven", kImbalance},
                                                          {"MPI_Sendrecv", kVolume}, {"MPI_Allreduce", kLatency}};
  for (const auto& [name, cause] : expected) {
    const KernelFinding& k = finding(target, name);
    EXPECT_EQ(k.scales, std::optional(false)) << name;
    EXPECT_EQ(k.cause, cause) << name << ": " << k.evidence;
    EXPECT_TRUE(k.stops_at) << name;
    EXPECT_FALSE(k.evidence.empty()) << name;
  }
}

// Half a second in which each rank's threads wait for one of them, at every scale, beside work that shrinks.
TEST(ApplicationFindings, IdleThreadsAreNoWorkThatDoesNotShrink) {
  SyntheticApplication app = one_of_each();
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  app.kernels.push_back({"[OpenMP waiting]", [](int, int) { return 0.5; }, nullptr, 1000, core::KernelKind::kWaiting});
  const Findings findings = findings_of(app, {{64}});
  const TargetFindings& target = findings.targets.front();
  const KernelFinding& waiting = finding(target, "[OpenMP waiting]");
  EXPECT_EQ(waiting.kind, fit::KernelKind::kWaiting);
  EXPECT_EQ(waiting.scales, std::optional(false));
  EXPECT_EQ(waiting.cause, kIdleThreads) << waiting.evidence;
  EXPECT_EQ(finding(target, "scales").scales, std::optional(true));
  // 60 / 64 s of work; the total has the waiting as well.
  EXPECT_NEAR(target.computation_s->value, 0.9375, 0.02);
  ASSERT_TRUE(target.openmp_waiting_s);
  EXPECT_NEAR(target.openmp_waiting_s->value, 0.5, 0.01);
  EXPECT_NEAR(target.total_s->value,
              target.computation_s->value + 0.5 + target.communication_s->value + target.others_s->value, 0.05);
  // At 16, 3.75 s of work beside it; work of all ranks together stays.
  const Efficiencies& e = findings.efficiencies[3];
  ASSERT_TRUE(e.thread_efficiency);
  EXPECT_NEAR(*e.thread_efficiency, 3.75 / 4.25, 1e-9);
  EXPECT_NEAR(e.parallel_efficiency, e.load_balance * *e.thread_efficiency * e.communication_efficiency, 1e-9);
  EXPECT_NEAR(*e.computation_scalability, 1, 1e-9);
  EXPECT_FALSE(findings_of(one_of_each(), {{64}}).efficiencies.front().thread_efficiency);
  const auto json = nlohmann::json::parse(findings_json(findings).value());
  EXPECT_NEAR(json["targets"][0]["openmp_waiting_s"]["value"].get<double>(), 0.5, 0.01);
}

TEST(ApplicationFindings, ThreadsThatSleepAfterAWhileAreNotHeldAgainstAProgramByCpuTime) {
  const auto scales = [](core::Clock clock) {
    SyntheticApplication app = one_of_each();
    app.clock = clock;
    const auto time_s = [](int np, int) { return 0.5 * std::pow(np, -0.4); };
    app.kernels.push_back({"[OpenMP waiting]", time_s, nullptr, 1000, core::KernelKind::kWaiting});
    return finding(findings_of(app, {{64}}).targets.front(), "[OpenMP waiting]").scales;
  };
  EXPECT_EQ(scales(core::Clock::kCpu), std::nullopt);
  EXPECT_EQ(scales(core::Clock::kWall), std::optional(false));
}

TEST(ApplicationFindings, MemoryAccessesThatTakeLittleAreNotWhyAKernelStalls) {
  // All accesses of "stalls", one after the other, take a constant part of its time, also at 64.
  const auto with_memory_share = [](double share) {
    core::Profile profile = one_of_each().profile({2, 4, 8, 16});
    for (core::Run& run : profile.runs) {
      for (core::Kernel& k : run.kernels) {
        if (k.name == "stalls") k.resources["t_mem_s"] = share * k.metrics.at("time_s").mean;
      }
    }
    return finding(findings_of(profile, {{64}}).targets.front(), "stalls");
  };
  const KernelFinding little = with_memory_share(0.005);
  EXPECT_EQ(little.scales, std::optional(false));
  EXPECT_EQ(little.cause, "");
  EXPECT_NE(little.evidence.find("memory accesses would take less than 1 %"), std::string::npos) << little.evidence;
  EXPECT_EQ(with_memory_share(0.02).cause, kMemory);
}

TEST(ApplicationFindings, StallsOfEveryKindAreNotNamedMemoryStalls) {
  // "stalls" stalls for all but 1e-9 s an instruction; what was counted are stalls for memory or all stalls.
  const auto counted_as = [](const std::string& note) {
    core::Profile profile = one_of_each().profile({2, 4, 8, 16});
    for (core::Run& run : profile.runs) {
      for (core::Kernel& k : run.kernels) {
        if (k.name != "stalls") continue;
        const double stalled = k.metrics.at("time_s").mean - 1e-9 * k.metrics.at("instructions").mean;
        k.resources = {{"t_stall_s", stalled}};
        if (!note.empty()) k.resource_notes = {note};
      }
    }
    return finding(findings_of(profile, {{256}}).targets.front(), "stalls");
  };
  EXPECT_EQ(counted_as("").cause, kMemory);
  EXPECT_NE(counted_as("").evidence.find("stalls for memory"), std::string::npos) << counted_as("").evidence;
  EXPECT_EQ(counted_as("stalls_total").cause, kStalls);
  EXPECT_EQ(counted_as("stalls_total").evidence.find("memory"), std::string::npos)
      << counted_as("stalls_total").evidence;
  EXPECT_NE(counted_as("stalls_derived").evidence.find("derived and not counted"), std::string::npos);
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

TEST(ApplicationFindings, ACallToAllIsAMessageToEachOther) {
  // A transposition of 160 MB: 40 calls of each rank, whose time stays; at 64 a call has 64 blocks of 1.6e8 / (40 x 64
  // x 64) = 977 bytes, of which one stays where it is.
  SyntheticApplication app = one_of_each();
  app.operations.push_back({"MPI_Alltoall", [](int np) { return 40.0 * np; }, [](int) { return 1.6e8; },
                            [](int np) { return 10e-3 + 1e-3 * np; }});
  const TargetFindings target = findings_of(app, {{64}}).targets.front();
  const KernelFinding& all_to_all = finding(target, "MPI_Alltoall");
  EXPECT_EQ(all_to_all.scales, std::optional(false));
  EXPECT_EQ(all_to_all.cause, kLatency) << all_to_all.evidence;
  // Messages go as (63 / 31) over a doubling, P^1.02; bytes are divided.
  EXPECT_EQ(all_to_all.evidence.find(
                "messages per rank go as P^1.02 and bytes as P^-1.00; of messages of 977 bytes in the mean"),
            0u)
      << all_to_all.evidence;
}

// Of a rank's 60 / P s of CPU time nothing tells that it sleeps 2 s besides at every scale: the sentence that says how
// much faster it gets does. At 32, the largest measured scale, that is the largest share.
TEST(Verdict, SaysThatWaitingIsInNoPrediction) {
  SyntheticApplication app;
  app.kernels = {{"work", [](int np, int) { return 60.0 / np; }}};
  core::Profile profile = app.profile({2, 4, 8, 16, 32});
  EXPECT_EQ(verdict_of(findings_of(profile, {{64}})).front().find("not counting"), std::string::npos);
  for (core::Run& run : profile.runs) {
    run.times.asleep_s = core::OverRanks{2.0 * run.np, 2, 2, 2, 0, 0};
    run.times.children_s = core::OverRanks{0.001 * run.np, 0.001, 0.001, 0.001, 0, 0};
  }
  const std::string first = verdict_of(findings_of(profile, {{64}})).front();
  EXPECT_NE(first.find("), not counting that ranks sleep or wait outside MPI (2.0000 s beside 1.8750 s at np=32): "),
            std::string::npos)
      << first;
  EXPECT_EQ(first.find("processes"), std::string::npos) << first;
  for (core::Run& run : profile.runs) run.times.children_s->mean = 8;
  const std::string both = verdict_of(findings_of(profile, {{64}})).front();
  EXPECT_NE(both.find("(2.0000 s) and processes that ranks start (8.0000 s beside 1.8750 s at np=32): "),
            std::string::npos)
      << both;
}

// 4 bytes of each rank: at 64 each rank receives 63 x 4 = 252 bytes in log2 64 = 6 messages at least, of 42 bytes in
// the mean; at 32 it is 124 bytes, so that they grow as 252 / 124 a doubling, P^1.02.
TEST(ApplicationFindings, WhatAllGatherGrowsWithTheRanks) {
  SyntheticApplication app = one_of_each();
  app.operations.push_back({"MPI_Allgather", [](int np) { return 1000.0 * np; }, [](int np) { return 4000.0 * np; },
                            [](int np) { return 20e-6 * std::log2(np); }});
  const KernelFinding gather = finding(findings_of(app, {{64}}).targets.front(), "MPI_Allgather");
  EXPECT_EQ(gather.cause, kLatency) << gather.evidence;
  EXPECT_EQ(
      gather.evidence.find("calls per rank go as P^0.00 and bytes as P^1.02; of messages of 42 bytes in the mean"), 0u)
      << gather.evidence;
}

// Messages of 1 MB at 2 ranks to 4 kB at 32 whose time is that of their bytes, ever more of them: what one of 4 bytes
// at 1024 costs by itself they do not tell.
TEST(ApplicationFindings, LargeMessagesDoNotTellWhatSmallOnesCost) {
  SyntheticApplication app = one_of_each();
  const auto calls = [](int np) { return 1000 * std::pow(np, 3); };
  const auto size = [](int np) { return 4e6 / np / np; };
  app.operations.push_back({"MPI_Sendrecv_replace", calls, [&](int np) { return calls(np) * size(np); },
                            [&](int np) { return 1e-9 * size(np); }});
  const KernelFinding small = finding(findings_of(app, {{1024}}).targets.front(), "MPI_Sendrecv_replace");
  EXPECT_EQ(small.scales, std::optional(false));
  EXPECT_NE(small.evidence.find("on usual networks"), std::string::npos) << small.evidence;
  // Nor what those of 4 kB cost, whose bytes' time is all that was seen.
  const KernelFinding at_32 = finding(findings_of(app, {{32}}).targets.front(), "MPI_Sendrecv_replace");
  EXPECT_EQ(at_32.evidence.find(" 0 % of the cost"), std::string::npos) << at_32.evidence;
}

// Messages that rank 0 sends to all, or receives from all, and the other ends of them, beside work that scales.
SyntheticApplication rooted(const char* of_root, const char* of_others) {
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 4.0 / np; }}};
  const auto calls = [](int np) { return 40.0 * (np - 1); };
  const auto bytes = [](int np) { return 40 * 160e3 * (np - 1); };
  const auto call_s = [](int) { return 15e-6; };
  const auto blocked_s = [](int) { return 0.0; };
  app.operations = {
      {of_root, calls, bytes, call_s, blocked_s, [](int, int rank) { return rank == 0 ? 1.0 : 0.0; }},
      {of_others, calls, bytes, call_s, blocked_s, [](int np, int rank) { return rank == 0 ? 0 : 1.0 / (np - 1); }}};
  return app;
}

TEST(ApplicationFindings, MessagesOfOneRankForAllAreItsOwn) {
  for (const auto& [of_root, of_others] : {std::pair("MPI_Send", "MPI_Recv"), std::pair("MPI_Recv", "MPI_Send")}) {
    const Findings findings = findings_of(rooted(of_root, of_others), {{64}, {1024}});
    for (const TargetFindings& target : findings.targets) {
      const KernelFinding& root = finding(target, of_root);
      EXPECT_EQ(root.scales, std::optional(false)) << of_root;
      EXPECT_EQ(root.cause, kRooted) << root.evidence;
      EXPECT_EQ(cause_text(root), "rank 0 alone");
      EXPECT_EQ(finding(target, "sweep").cause, "");
      // At 64 each of the others needs a 63rd of what rank 0 does.
      const KernelFinding& others = finding(target, of_others);
      EXPECT_TRUE(!others.matters || others.cause == kRooted) << others.evidence;
    }
    // At 1024 rank 0 takes 40 x 1023 x 15 us = 614 ms of 614 + 4 + 10.
    const KernelFinding& root = finding(findings.targets.back(), of_root);
    EXPECT_NEAR(root.share, 0.978, 0.02);
    EXPECT_EQ(root.rank, 1);
    EXPECT_NE(root.evidence.find("rank 0 makes 4.092e+04 of 4.092e+04 calls"), std::string::npos) << root.evidence;
    EXPECT_NE(findings_text(findings, {}).find("rank 0 alone"), std::string::npos);
  }
}

TEST(ApplicationFindings, ASerialFunctionHasItsShareOfTheRunAndNotOfTheMeanRank) {
  // 0.1 s on rank 0 beside 4 s that are divided: at 64 it is 0.1 of 0.0625 + 0.1 s, start and end left out; in the mean
  // 1.6 ms.
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 4.0 / np; }},
                 {"write", [](int, int rank) { return rank == 0 ? 0.1 : 0.0; }}};
  const Findings findings = findings_of(app, {{64}});
  const KernelFinding& write = finding(findings.targets.front(), "write");
  EXPECT_NEAR(write.share, 0.1 / 0.1625, 0.03);
  EXPECT_EQ(write.rank, 1);
  EXPECT_EQ(write.rank_measured, 2);  // at 16: 0.1 against 0.25
  EXPECT_EQ(write.scales, std::optional(false));
  EXPECT_EQ(cause_text(write), "serial part, rank 0 alone");
  EXPECT_NE(findings_text(findings, {}).find("serial part, rank 0 alone"), std::string::npos);
}

TEST(ApplicationFindings, WorkThatGrowsOnAllRanksIsNoImbalance) {
  // The time grows as P on every rank, and at each scale another rank has somewhat more: 1, 1.15, 1.35 and 1.6 times.
  const std::map<int, double> more = {{2, 1.0}, {4, 1.15}, {8, 1.35}, {16, 1.6}};
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 40.0 / np; }},
                 {"search", [more](int np, int rank) { return 0.05 * np * (rank == np / 2 ? more.at(np) : 1.0); }}};
  const KernelFinding search = finding(findings_of(app, {{32}}).targets.front(), "search");
  EXPECT_EQ(search.scales, std::optional(false));
  EXPECT_EQ(search.cause, kGrowingWork) << search.evidence;
  ASSERT_TRUE(search.work_exponent);
  EXPECT_NEAR(*search.work_exponent, 1, 0.1);
  EXPECT_EQ(cause_text(search).find("work grows as P^"), 0u) << cause_text(search);
}

TEST(ApplicationFindings, AHelperOfDividedAndRepeatedWorkIsNotSaidToScale) {
  // 8 / P + 0.12: repeated work is a fifth of it at 16 and half of it at 64, 91 % at 1024.
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 8.0 / np; }},
                 {"apply", [](int np, int) { return 8.0 / np + 0.12; }}};
  const Findings findings = findings_of(app, {{64}, {1024}});
  for (const TargetFindings& target : findings.targets) {
    const KernelFinding& apply = finding(target, "apply");
    EXPECT_NE(apply.scales, std::optional(true)) << text_of(target.at);
    EXPECT_EQ(finding(target, "sweep").scales, std::optional(true)) << text_of(target.at);
  }
  const KernelFinding& apply = finding(findings.targets.back(), "apply");
  EXPECT_NEAR(apply.estimate.value, 8.0 / 1024 + 0.12, 0.1 * 0.128);
  EXPECT_EQ(apply.scales, std::optional(false));
}

TEST(ApplicationFindings, WhatMessagesCostDecidesAndDoesNotGoBackAndForth) {
  // 1000 faces to each neighbour in the most compact grid of three dimensions, at 10 us and 1 ns a byte. In a cube of
  // 10^3 a face is 2e9 x 27 / (2000 x 27 x 100) = 10 kB, whose bytes cost as much as the message itself; it falls as
  // P^(-2/3), so that it is 20 kB, a third, at P = 354 and 5 kB, two thirds, at 2828. For numbers of ranks with a grid
  // of another shape bytes and calls go up and down.
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  const auto over_grid = [](int np, auto term) {
    double sum = 0;
    for (const int d : fit::process_grid(np, 3)) sum += term(d);
    return sum;
  };
  const auto calls = [over_grid](int np) { return 2000 * over_grid(np, [np](int d) { return (d - 1.0) * np / d; }); };
  const auto bytes = [over_grid](int np) { return 2e9 * over_grid(np, [](int d) { return d - 1.0; }); };
  app.kernels = {{"sweep", [](int np, int) { return 40.0 / np; }}};
  app.operations = {
      {"MPI_Send", calls, bytes, [calls, bytes](int np) { return 10e-6 + 1e-9 * bytes(np) / calls(np); }}};
  std::vector<std::vector<double>> targets;
  for (double np = 32; np <= 32768; np *= 2) targets.push_back({np});
  const Findings findings = findings_of(app, targets);
  std::vector<std::string> causes;
  for (const TargetFindings& target : findings.targets) {
    const KernelFinding& send = finding(target, "MPI_Send");
    EXPECT_EQ(send.scales, std::optional(false)) << text_of(target.at);
    if (causes.empty() || causes.back() != send.cause) causes.push_back(send.cause);
  }
  EXPECT_EQ(causes, (std::vector<std::string>{kVolume, kMessages, kLatency}));
  for (const TargetFindings& target : findings.targets) {
    const double np = target.at.front().second;
    const char* expected = np < 354 ? kVolume : np > 2828 ? kLatency : kMessages;
    EXPECT_EQ(finding(target, "MPI_Send").cause, expected) << np << ": " << finding(target, "MPI_Send").evidence;
  }
}

// The same time on every rank, whatever the scale is: a few samples could be chance.
TEST(ApplicationFindings, MpiRoutinesKnownByAFewSamplesAreNotJudged) {
  const auto scales = [](uint64_t samples) {
    SyntheticApplication app = one_of_each();
    app.clock = core::Clock::kWall;
    core::Profile profile = app.profile({2, 4, 8, 16});
    for (core::Run& run : profile.runs) {
      core::MpiOperation other;
      other.operation = "[MPI other]";
      other.time_s = other.cpu_s = other.wall_s = {0.5 * run.np, 0.5, 0.5, 0.5, 0, 0};
      other.samples = samples;
      run.operations.push_back(other);
    }
    return finding(findings_of(profile, {{64}}).targets.front(), "[MPI other]").scales;
  };
  EXPECT_EQ(scales(9), std::nullopt);
  EXPECT_EQ(scales(10), std::optional(false));
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
  collective.cause = kLatency;
  KernelFinding open = collective;
  open.name = "imbalanced_part";
  open.estimate = {7.48, 1, 20, 0.9};
  open.share = 0.748;
  open.scales.reset();
  open.cause.clear();
  target.kernels = {open, collective};
  Findings findings;
  findings.processes = "np";
  findings.scaling = Scaling::kStrong;
  findings.base = {{"np", 2}};
  findings.measured = {{{"np", 2}}, {{"np", 16}}};
  findings.targets = {target};
  std::string all;
  for (const std::string& sentence : verdict_of(findings)) all += sentence + " ";
  EXPECT_NE(all.find("The largest part that does not scale is MPI_Allreduce (6.6% of the time, from np=2, message "
                     "count or latency); of "
                     "imbalanced_part (74.8% of the time), which takes longer, the data do not decide whether it "
                     "scales; waiting for the "
                     "slowest rank is 72.0% of it."),
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
      EXPECT_EQ(kernel.cause + kernel.evidence, "") << kernel.name;
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

TEST(ApplicationFindings, WithoutCountersACauseByTimeSaysSo) {
  SyntheticApplication app = one_of_each();
  for (auto& kernel : app.kernels) kernel.instructions = nullptr;
  const Findings findings = findings_of(app, {{64}});
  const KernelFinding& replicated = finding(findings.targets.front(), "replicated");
  EXPECT_EQ(replicated.cause, kWork);
  EXPECT_NE(replicated.evidence.find("not counted"), std::string::npos);
  // As P^-0.5: half the work and more stalls, or work that shrinks as a surface does, which time cannot distinguish.
  const KernelFinding& stalls = finding(findings.targets.front(), "stalls");
  EXPECT_EQ(stalls.scales, std::optional(false));
  EXPECT_EQ(stalls.cause, "");
  EXPECT_NE(stalls.evidence.find("--counters simulated"), std::string::npos) << stalls.evidence;
  bool told = false;
  for (const std::string& note : findings.notes) told = told || note.find("no counters") != std::string::npos;
  EXPECT_TRUE(told);
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
  EXPECT_EQ(behind_one.cause, kSerial) << behind_one.evidence;
  EXPECT_EQ(behind_one.evidence, "ranks wait for ser\x1bial, which rank 0 does");
  // Rank 0 has 1 s more than the others, who work as well: the slowest exceeds the mean by 15/16 s at 16.
  const fit::SyntheticKernel uneven = {"uneven", [](int np, int rank) { return 8.0 / np + (rank == 0 ? 1.0 : 0.0); }};
  const KernelFinding behind_slowest = barrier_with(core::Clock::kWall, uneven);
  EXPECT_EQ(behind_slowest.cause, kImbalance) << behind_slowest.evidence;
  EXPECT_EQ(behind_slowest.evidence, "ranks wait for the slowest one's computation");
  // 0.4 s is less than half of it.
  const fit::SyntheticKernel little = {"uneven", [](int np, int rank) { return 8.0 / np + (rank == 0 ? 0.4 : 0.0); }};
  EXPECT_NE(barrier_with(core::Clock::kWall, little).cause, kImbalance);
  // With the CPU clock nothing is known about waiting.
  const std::string blind = barrier_with(core::Clock::kCpu, serial).cause;
  EXPECT_TRUE(blind != kSerial && blind != kImbalance) << blind;
}

TEST(ApplicationFindings, WithoutSamplesStrongScalingIsNoMoreThanAssumed) {
  SyntheticApplication app;
  app.kernels = {{"unseen", [](int, int) { return 50e-6; }, nullptr, 0}};
  const Findings findings = findings_of(app, {{64}});
  EXPECT_EQ(findings.scaling_source, ScalingSource::kAssumed);
  const std::string cost = verdict_of(findings).front();
  EXPECT_NE(cost.find("too little of the computation was sampled to tell), of 100.0% if the problem grows"),
            std::string::npos)
      << cost;
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

TEST(Terminal, FitsTheWidthAndNamesTheCauses) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  const std::string text = findings_text(findings, {.top = 15, .width = 110, .color = false});
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 110u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_NE(text.find("serial part, rank 0 alone (rank 0 does it"), std::string::npos) << text;
  EXPECT_NE(text.find("backtest"), std::string::npos);
  EXPECT_NE(text.find("np=16 predicted from 2,4,8"), std::string::npos) << text;
}

TEST(Terminal, NamesOfOthersDoNotDriveIt) {
  SyntheticApplication app = one_of_each();
  app.clock = core::Clock::kWall;
  app.kernels[3].name = "ser\x1b[2Jial";
  app.operations.push_back({"MPI_Barrier", [](int np) { return 10.0 * np; }, [](int) { return 0.0; },
                            [](int) { return 1e-3; }, [](int) { return 2.0; }});
  core::Profile profile = app.profile({2, 4, 8, 16});
  profile.parameter_names = {"si\x1bze"};
  for (core::Run& run : profile.runs) run.parameters["si\x1bze"] = 1;
  const Findings findings = findings_of(profile, {{64, 1}});
  EXPECT_NE(finding(findings.targets.front(), "MPI_Barrier").evidence.find('\x1b'), std::string::npos);
  const std::string text = findings_text(findings, {.top = 0, .width = 110, .color = false});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("ranks wait for ser?[2Jial"), std::string::npos) << text;
  for (const std::string& sentence : verdict_of(findings)) EXPECT_EQ(sentence.find('\x1b'), std::string::npos);
}

fit::MeasurementSet two_call_paths(const std::string& processes = "p", double factor = 1) {
  fit::SeriesBuilder builder({processes});
  for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
    const std::vector<double> at = {p};
    builder.add("main->solve", "time", at, std::vector{factor * 100 / p}, "");
    builder.add("main->gather", "time", at, std::vector{factor * 0.2 * p}, "");
    builder.add("main->solve", "flops", at, std::vector{factor * 1e9}, "");
  }
  return std::move(builder).finish();
}

Findings of_call_paths(fit::MeasurementSet set, const std::vector<std::vector<double>>& targets,
                       const FindingsOptions& options = {}) {
  const auto model = fit::fit_application(fit::application_data(std::move(set)));
  return application_findings(model.value(), targets, options);
}

TEST(CallPathFindings, PredictEveryMetricOfEveryCallPath) {
  const Findings findings = of_call_paths(two_call_paths(), {{512}});
  const TargetFindings& target = findings.targets.front();
  ASSERT_EQ(target.kernels.size(), 3u);
  EXPECT_FALSE(target.total_s);
  EXPECT_EQ(findings.processes, "p");
  // All three are at least 1 % of the largest of their metric at 64; flops and seconds are not compared.
  EXPECT_EQ(findings.backtest.kernels, 3);
  // 100/512 = 0.195 and 0.2 x 512 = 102.4; measured at 64: 1.5625 and 12.8.
  const KernelFinding& gather = finding(target, "main->gather");
  EXPECT_EQ(gather.metric, "time");
  EXPECT_EQ(gather.rank, 1);
  EXPECT_NEAR(gather.estimate.value, 102.4, 10);
  int times = 0;
  for (const KernelFinding& k : target.kernels) times += k.metric == "time" ? 1 : 0;
  EXPECT_EQ(times, 2);
}

TEST(CallPathFindings, NamesOfParametersDoNotDriveTheTerminal) {
  const Findings findings = of_call_paths(two_call_paths("p\x1b[31m"), {{512}});
  EXPECT_EQ(findings_text(findings, {.top = 0, .width = 110, .color = false}).find('\x1b'), std::string::npos);
  for (const std::string& sentence : verdict_of(findings)) EXPECT_EQ(sentence.find('\x1b'), std::string::npos);
}

TEST(CallPathFindings, NothingButZerosIsNotTooFewScales) {
  const Findings findings = of_call_paths(two_call_paths("p", 0), {{512}});
  EXPECT_EQ(findings.scaling_reason, "all values are 0");
  EXPECT_EQ(verdict_of(findings)[2].find("All measured values are 0"), 0u) << verdict_of(findings)[2];
  EXPECT_NE(findings_text(findings, {}).find("impossible: all values are 0"), std::string::npos);
}

TEST(CallPathFindings, AStatementThatTheDataContradictIsNoted) {
  FindingsOptions options;
  options.scaling = Scaling::kWeak;
  const Findings findings = of_call_paths(two_call_paths(), {{512}}, options);
  bool told = false;
  for (const std::string& note : findings.notes) told = told || note.find("as in strong scaling") != std::string::npos;
  EXPECT_TRUE(told);
}

// A file lists "n" before the processes: targets, scales and verdicts go by the parameter that counts processes.
TEST(CallPathFindings, TheProcessesNeedNotBeTheFirstParameter) {
  fit::SeriesBuilder builder({"n", "p"});
  for (const double n : {1.0, 2.0}) {
    for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
      builder.add("main->gather", "time", std::vector{n, p}, std::vector{0.2 * p}, "");
      builder.add("main->solve", "time", std::vector{n, p}, std::vector{100 / p}, "");
    }
  }
  const Findings findings = of_call_paths(std::move(builder).finish(), {{2, 512}});
  EXPECT_EQ(findings.processes, "p");
  EXPECT_EQ(text_of(findings.targets.front().at), "n=2 p=512");
  EXPECT_EQ(findings.targets.front().beyond, 8);
  const KernelFinding& gather = finding(findings.targets.front(), "main->gather");
  EXPECT_EQ(gather.measured, 0.2 * 64);
  EXPECT_EQ(gather.scales, std::optional(false));
  EXPECT_EQ(finding(findings.targets.front(), "main->solve").scales, std::optional(true));
}

}  // namespace
}  // namespace scalediag::report
