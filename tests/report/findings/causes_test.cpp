#include "report/findings/causes/causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/equations/process_grid.h"
#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/predict_text.h"
#include "report/scaling/exact_counts.h"
#include "tests/fit/application/synthetic_application.h"
#include "tests/report/findings/findings_of.h"

namespace scalediag::report {
namespace {

TEST(ApplicationFindings, NameEveryKernelThatDoesNotScaleWithItsCause) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  EXPECT_EQ(findings.scaling, Scaling::kStrong);
  const TargetFindings& target = findings.targets.front();
  EXPECT_EQ(finding(target, "scales").scales, std::optional(true));
  EXPECT_EQ(finding(target, "scales").cause, Cause::kNone);
  const std::pair<const char*, Cause> expected[] = {
      {"replicated", Cause::kWork},  {"stalls", Cause::kMemory},       {"serial", Cause::kSerial},
      {"uneven", Cause::kImbalance}, {"MPI_Sendrecv", Cause::kVolume}, {"MPI_Allreduce", Cause::kLatency}};
  for (const auto& [name, cause] : expected) {
    const KernelFinding& k = finding(target, name);
    EXPECT_EQ(k.scales, std::optional(false)) << name;
    EXPECT_EQ(k.cause, cause) << name << ": " << k.evidence;
    EXPECT_TRUE(k.stops_at) << name;
    EXPECT_FALSE(k.evidence.empty()) << name;
  }
}

TEST(Causes, SayThatInstructionsOfFewRoundsAreEstimates) {
  core::Profile profile = one_of_each().profile({2, 4, 8, 16});
  for (core::Run& run : profile.runs) {
    for (core::Kernel& kernel : run.kernels) kernel.count_errors = {{"instructions", 1}};
  }
  const auto model = fit::fit_application(fit::application_data(profile).value());
  ASSERT_TRUE(model.ok());
  const auto& kernels = model.value().kernels();
  const auto kernel = std::ranges::find(kernels, "replicated", [](const auto& k) { return k.data().name; });
  ASSERT_NE(kernel, kernels.end());
  const CauseFinding found = cause_of(model.value(), *kernel, std::vector{16.0}, Scaling::kStrong, nullptr);
  EXPECT_EQ(found.cause, Cause::kWork);
  EXPECT_EQ(found.evidence.find("instructions per rank, estimated from few rounds, go as "), 0u) << found.evidence;
  EXPECT_FALSE(counts_stay(*kernel, 0, std::vector{16.0}, Scaling::kStrong));
}

// Calls that wait for messages which other calls carry: their cause is in the simulation of their time, here 1 s of a
// rank, of which two thirds decide. Messages of 1000 bytes cost 4 us, of which bytes are given.
TEST(Causes, CompletionCallsHaveThatOfTheirMessages) {
  SyntheticApplication app = one_of_each();
  app.operations = {{"MPI_Waitall", [](int np) { return 1000.0 * np; }, [](int) { return 0.0; },
                     [](int np) { return 100e-6 * std::log2(np); }}};
  const auto model = fit::fit_application(fit::application_data(app.profile({2, 4, 8, 16})).value());
  ASSERT_TRUE(model.ok());
  const auto& kernels = model.value().kernels();
  const auto kernel =
      std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.data().name == "MPI_Waitall"; });
  ASSERT_NE(kernel, kernels.end());
  const auto cause = [&](double late_sender_s, double late_receiver_s, double bytes_s) {
    predict::SimulatedCommunication simulated;
    predict::SimulatedOperation& waits = simulated.operations["MPI_Waitall"];
    waits.time_s = 1;
    waits.awaited = {late_sender_s, late_receiver_s, 8, 8000, 8 * 4e-6, 8 * bytes_s, 3, 0.9};
    return cause_of(model.value(), *kernel, std::vector{16.0}, Scaling::kStrong, &simulated);
  };
  const CauseFinding late = cause(0.7, 0.1, 1e-6);
  EXPECT_EQ(late.cause, Cause::kLateSender);
  EXPECT_NE(late.evidence.find("70 %"), std::string::npos) << late.evidence;
  EXPECT_NE(late.evidence.find("90 % of that for rank 3"), std::string::npos) << late.evidence;
  EXPECT_EQ(cause(0.1, 0.7, 1e-6).cause, Cause::kLateReceiver);
  EXPECT_EQ(cause(0.3, 0.3, 1e-6).cause, Cause::kLatency);
  EXPECT_EQ(cause(0.3, 0.3, 3e-6).cause, Cause::kVolume);
  EXPECT_EQ(cause(0.3, 0.3, 2e-6).cause, Cause::kMessages);
  const CauseFinding unknown = cause_of(model.value(), *kernel, std::vector{16.0}, Scaling::kStrong);
  EXPECT_EQ(unknown.cause, Cause::kNone);
  EXPECT_NE(unknown.evidence.find("--trace"), std::string::npos) << unknown.evidence;
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
  EXPECT_EQ(waiting.cause, Cause::kIdleThreads) << waiting.evidence;
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

// Three functions wait for their device for as long at every scale: one copies 8 MB a rank at all of them, one makes
// 20000 launches of 20 us each, one does neither; a fourth one's device has less to do the more ranks there are, and on
// rank 0 the fifth one's has ten times the others'.
TEST(ApplicationFindings, WaitingForDevicesHasItsOwnCauses) {
  SyntheticApplication app = one_of_each();
  app.clock = core::Clock::kWall;
  const auto add = [&](const char* name, std::function<double(int, int)> time_s) {
    app.kernels.push_back({name, std::move(time_s), nullptr, 0, core::KernelKind::kGpu});
  };
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  add("[GPU wait] send", [](int, int) { return 0.5; });
  add("[GPU wait] small", [](int, int) { return 0.4; });
  add("[GPU wait] whole", [](int, int) { return 0.3; });
  add("[GPU wait] update", [](int np, int) { return 8.0 / np; });
  add("[GPU wait] uneven", [](int, int rank) { return rank == 0 ? 1.0 : 0.1; });
  core::Profile profile = app.profile({2, 4, 8, 16});
  for (core::Run& run : profile.runs) {
    for (core::Kernel& k : run.kernels) {
      const auto set = [&](const char* metric, double value) {
        k.metrics[metric] = {value * run.np, value, value, value, 0, 0};
      };
      if (k.name == "[GPU wait] send") set("gpu_bytes", 8e6);
      if (k.name == "[GPU wait] small") set("gpu_launches", 20000);
      if (k.name == "[GPU wait] whole") set("gpu_launches", 100);
    }
  }
  const Findings findings = findings_of(profile, {{64}});
  const TargetFindings& target = findings.targets.front();
  const std::pair<const char*, Cause> expected[] = {{"[GPU wait] send", Cause::kTransfers},
                                                    {"[GPU wait] small", Cause::kLaunches},
                                                    {"[GPU wait] whole", Cause::kDeviceWork},
                                                    {"[GPU wait] uneven", Cause::kImbalance}};
  for (const auto& [name, cause] : expected) {
    const KernelFinding& k = finding(target, name);
    EXPECT_EQ(k.kind, fit::KernelKind::kGpu);
    EXPECT_EQ(k.scales, std::optional(false)) << name;
    EXPECT_EQ(k.cause, cause) << name << ": " << k.evidence;
  }
  EXPECT_EQ(finding(target, "[GPU wait] update").scales, std::optional(true));
  // 0.5 + 0.4 + 0.3 + 8 / 64 + (1 + 63 x 0.1) / 64 s, none of it computation: 60 / 64 s.
  ASSERT_TRUE(target.gpu_s);
  EXPECT_NEAR(target.gpu_s->value, 1.439, 0.03);
  EXPECT_NEAR(target.computation_s->value, 0.9375, 0.02);
  EXPECT_NEAR(target.run_s->value, target.computation_s->value + target.gpu_s->value + target.communication_s->value,
              0.05);
  // At 16: 3.75 s of computation beside 1.2 + 0.5 + 0.15625 s of waiting.
  const Efficiencies& e = findings.efficiencies[3];
  ASSERT_TRUE(e.offload_efficiency);
  EXPECT_NEAR(*e.offload_efficiency, 3.75 / (3.75 + 1.85625), 1e-9);
  EXPECT_LE(e.communication_efficiency, 1 + 1e-9);
}

// Elapsed times of single runs, whose scatter hides their trend; bytes and launches of a rank are the same at all
// scales of 8 MB and 2000, or fall as the work does. `scales` many of 1, 2, 4 and 8 ranks.
KernelFinding waiting_in_noise(size_t scales, const char* metric, bool falls, Scaling scaling = Scaling::kStrong) {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  const std::map<int, double> noise = {{1, 1.4}, {2, 0.6}, {4, 1.5}, {8, 0.8}};
  const bool weak = scaling == Scaling::kWeak;
  app.kernels = {{"scales", [=](int np, int) { return weak ? 1.0 : 1.0 / np; }},
                 {"[GPU wait] f", [=](int np, int) { return noise.at(np) * 0.02 / (falls ? np : 1); }, nullptr, 0,
                  core::KernelKind::kGpu}};
  core::Profile profile = app.profile(scales == 3 ? std::vector{1, 2, 4} : std::vector{1, 2, 4, 8});
  for (core::Run& run : profile.runs) {
    const double all = std::string(metric) == "gpu_bytes" ? 8e6 : 2000, value = falls ? all / run.np : all;
    for (core::Kernel& k : run.kernels) {
      if (k.name == "[GPU wait] f") k.metrics[metric] = {value * run.np, value, value, value, 0, 0};
    }
  }
  return finding(findings_of(profile, {{32}}).targets.front(), "[GPU wait] f");
}

TEST(ApplicationFindings, ExactCountsDecideWhereTimesOfWaitingForDevicesDoNot) {
  for (const size_t scales : {3, 4}) {
    const KernelFinding copies = waiting_in_noise(scales, "gpu_bytes", false);
    EXPECT_EQ(copies.scales, std::optional(false)) << scales;
    EXPECT_EQ(copies.cause, Cause::kTransfers) << scales;
    EXPECT_TRUE(copies.matters) << scales;
    EXPECT_LE(copies.stops_at, std::optional(8.0)) << scales;
    const KernelFinding launches = waiting_in_noise(scales, "gpu_launches", false);
    EXPECT_EQ(launches.scales, std::optional(false)) << scales;
    EXPECT_EQ(launches.cause, Cause::kLaunches) << scales;
  }
}

TEST(ApplicationFindings, ExactCountsThatAreAsTheyShouldBeAccuseNobody) {
  for (const size_t scales : {3, 4}) {
    for (const char* metric : {"gpu_bytes", "gpu_launches"}) {
      EXPECT_NE(waiting_in_noise(scales, metric, true).scales, std::optional(false)) << scales << metric;
      // A rank's bytes and launches stay in weak scaling.
      EXPECT_NE(waiting_in_noise(scales, metric, false, Scaling::kWeak).scales, std::optional(false))
          << scales << metric;
    }
  }
}

// Of `n` calls of 8 bytes a rank, in which ranks wait for one another 10 ms a process. Rank 0 waits for its device for
// `longer_s` more than the others.
KernelFinding waiting_in_calls(int n, double longer_s = 0) {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  app.kernels = {{"scales", [](int np, int) { return 1.0 / np; }},
                 {"[GPU wait] f", [=](int np, int rank) { return 0.1 / np + (rank == 0 ? longer_s : 0); }, nullptr, 0,
                  core::KernelKind::kGpu}};
  app.operations = {{"MPI_Allreduce", [=](int np) { return n * np; }, [=](int np) { return 8 * n * np; },
                     [](int) { return 1e-6; }, [](int np) { return np > 1 ? 0.01 * np : 0; }}};
  return finding(findings_of(app.profile({1, 2, 4}), {{32}}).targets.front(), "MPI_Allreduce");
}

// A wait varies by about its length, so that one at 2 and one at 4 ranks show no trend: the exponent is 1 give or take
// sqrt(2) / log(2). By 2000 it is known to 0.05.
TEST(ApplicationFindings, WaitsOfSingleCallsAccuseNobody) {
  EXPECT_EQ(waiting_in_calls(1).scales, std::nullopt);
  EXPECT_EQ(waiting_in_calls(2000).scales, std::optional(false));
}

TEST(ApplicationFindings, RanksThatWaitForOneInItsDeviceAreSaidTo) {
  const KernelFinding waits = waiting_in_calls(2000, 0.05);
  EXPECT_EQ(waits.cause, Cause::kImbalance);
  EXPECT_NE(waits.evidence.find("[GPU wait] f"), std::string::npos) << waits.evidence;
  EXPECT_EQ(waiting_in_calls(2000).evidence.find("[GPU wait] f"), std::string::npos);
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
  EXPECT_EQ(little.cause, Cause::kNone);
  EXPECT_NE(little.evidence.find("memory accesses would take less than 1 %"), std::string::npos) << little.evidence;
  EXPECT_EQ(with_memory_share(0.02).cause, Cause::kMemory);
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
  EXPECT_EQ(counted_as("").cause, Cause::kMemory);
  EXPECT_NE(counted_as("").evidence.find("stalls for memory"), std::string::npos) << counted_as("").evidence;
  EXPECT_EQ(counted_as("stalls_total").cause, Cause::kStalls);
  EXPECT_EQ(counted_as("stalls_total").evidence.find("memory"), std::string::npos)
      << counted_as("stalls_total").evidence;
  EXPECT_NE(counted_as("stalls_derived").evidence.find("derived and not counted"), std::string::npos);
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
  EXPECT_EQ(all_to_all.cause, Cause::kLatency) << all_to_all.evidence;
  // Messages go as (63 / 31) over a doubling, P^1.02; bytes are divided.
  EXPECT_EQ(all_to_all.evidence.find(
                "messages per rank go as P^1.02 and bytes as P^-1.00; of messages of 977 bytes in the mean"),
            0u)
      << all_to_all.evidence;
}

// 4 bytes of each rank: at 64 each rank receives 63 x 4 = 252 bytes in log2 64 = 6 messages at least, of 42 bytes in
// the mean; at 32 it is 124 bytes, so that they grow as 252 / 124 a doubling, P^1.02.
TEST(ApplicationFindings, WhatAllGatherGrowsWithTheRanks) {
  SyntheticApplication app = one_of_each();
  app.operations.push_back({"MPI_Allgather", [](int np) { return 1000.0 * np; }, [](int np) { return 4000.0 * np; },
                            [](int np) { return 20e-6 * std::log2(np); }});
  const KernelFinding gather = finding(findings_of(app, {{64}}).targets.front(), "MPI_Allgather");
  EXPECT_EQ(gather.cause, Cause::kLatency) << gather.evidence;
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
      EXPECT_EQ(root.cause, Cause::kRooted) << root.evidence;
      EXPECT_EQ(cause_text(root), "rank 0 alone");
      EXPECT_EQ(finding(target, "sweep").cause, Cause::kNone);
      // At 64 each of the others needs a 63rd of what rank 0 does.
      const KernelFinding& others = finding(target, of_others);
      EXPECT_TRUE(!others.matters || others.cause == Cause::kRooted) << others.evidence;
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
  EXPECT_EQ(search.cause, Cause::kGrowingWork) << search.evidence;
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
    for (const int d : core::process_grid(np, 3)) sum += term(d);
    return sum;
  };
  const auto calls = [over_grid](int np) { return 2000 * over_grid(np, [np](int d) { return (d - 1.0) * np / d; }); };
  const auto bytes = [over_grid](int np) { return 2e9 * over_grid(np, [](int d) { return d - 1.0; }); };
  app.kernels = {{"sweep", [](int np, int) { return 40.0 / np; }}};
  app.operations = {
      {"MPI_Send", calls, bytes, [calls, bytes](int np) { return 10e-6 + 1e-9 * bytes(np) / calls(np); }}};
  for (double np = 32; np <= 32768; np *= 2) {
    // The largest target decides for all of an output.
    const Findings findings = findings_of(app, {{32}, {np}});
    const Cause expected = np < 354 ? Cause::kVolume : np > 2828 ? Cause::kLatency : Cause::kMessages;
    for (const TargetFindings& target : findings.targets) {
      const KernelFinding& send = finding(target, "MPI_Send");
      EXPECT_EQ(send.scales, std::optional(false)) << text_of(target.at);
      EXPECT_EQ(send.cause, expected) << np << ": " << send.evidence;
    }
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

TEST(ApplicationFindings, WithoutCountersACauseByTimeSaysSo) {
  SyntheticApplication app = one_of_each();
  for (auto& kernel : app.kernels) kernel.instructions = nullptr;
  const Findings findings = findings_of(app, {{64}});
  const KernelFinding& replicated = finding(findings.targets.front(), "replicated");
  EXPECT_EQ(replicated.cause, Cause::kWork);
  EXPECT_NE(replicated.evidence.find("not counted"), std::string::npos);
  // As P^-0.5: half the work and more stalls, or work that shrinks as a surface does, which time cannot distinguish.
  const KernelFinding& stalls = finding(findings.targets.front(), "stalls");
  EXPECT_EQ(stalls.scales, std::optional(false));
  EXPECT_EQ(stalls.cause, Cause::kNone);
  EXPECT_NE(stalls.evidence.find("--counters simulated"), std::string::npos) << stalls.evidence;
  bool told = false;
  for (const std::string& note : findings.notes) told = told || note.find("no counters") != std::string::npos;
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace scalediag::report
