#include "fit/profile/profile_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/experiment/experiment.h"
#include "fit/application/application.h"
#include "tests/fit/application/application_models.h"

namespace scalediag::fit {
namespace {

TEST(ApplicationData, TermsAddUpToTheTotal) {
  const auto data = application_data(stencil().profile(kScales));
  ASSERT_TRUE(data.ok());
  // np=4: 40/4 + 0.5 computed by every rank alike; 750 messages a rank of 10 us; 0.01 others.
  const Series& total = data.value().totals.at("total_s");
  ASSERT_EQ(total.observations.size(), 4u);
  EXPECT_NEAR(total.observations[1].values.front(), 10.5 + 750 * 10e-6 + 0.01, 1e-9);
}

// A program that does nothing: 0.01 of start and end, and parts that come to less than that.
TEST(ApplicationData, ARunOfNothingTakesANanosecond) {
  SyntheticApplication app;
  app.kernels = {{"work", [](int, int) { return 0.0; }}};
  core::Profile profile = app.profile(kScales);
  for (core::Run& run : profile.runs) run.times.unattributed_s.mean = -1e-5;
  const auto data = application_data(profile);
  ASSERT_TRUE(data.ok());
  for (const Observation& o : data.value().totals.at("run_s").observations) EXPECT_EQ(o.values.front(), 1e-9);
}

TEST(ApplicationData, CallsWithinOneHostTakeNoLongerThanTheirCpuTime) {
  SyntheticApplication app;
  app.kernels = {{"work", [](int np, int) { return 8.0 / np; }}};
  // 100 calls a rank; the shortest took 10 ms, mostly because it waited for a core: 0.5 s of CPU time, not 1 s.
  app.operations = {
      {"MPI_Send", [](int np) { return 100.0 * np; }, [](int np) { return 800.0 * np; }, [](int) { return 0.01; }}};
  core::Profile profile = app.profile({2, 4});
  for (core::Run& run : profile.runs) {
    run.sampling_rate_hz = 100;
    run.hosts = {"node1"};
    run.operations.front().time_s = {0.5 * run.np, 0.5, 0.5, 0.5, 0, 0};
    run.operations.front().samples = static_cast<uint64_t>(50 * run.np);
  }
  const auto time_of_4 = [&] {
    const auto data = application_data(profile);
    for (const KernelData& kernel : data.value().kernels)
      if (kernel.name == "MPI_Send") return kernel.find("time_s")->observations.back().values.front();
    return 0.0;
  };
  // 200 samples at 100 Hz, of which 1.645 sqrt(200) + 3 may have been missed.
  EXPECT_NEAR(time_of_4(), 0.5 + (1.645 * std::sqrt(200) + 3) / 100 / 4, 1e-9);
  // Between hosts the shortest call contains the network, which uses no CPU.
  for (core::Run& run : profile.runs) run.hosts.push_back("node2");
  EXPECT_NEAR(time_of_4(), 1.0, 1e-9);
}

TEST(ApplicationData, KernelsWithTooFewSamplesArePooled) {
  SyntheticApplication app = stencil();
  app.kernels.push_back({"rare", [](int np, int) { return 0.004 / np; }});  // 4 samples at 1000 Hz
  app.kernels.push_back({"rarer", [](int np, int) { return 0.002 / np; }});
  const auto data = application_data(app.profile(kScales));
  ASSERT_TRUE(data.ok());
  int pools = 0;
  for (const KernelData& k : data.value().kernels) {
    EXPECT_NE(k.name, "rare");
    if (k.pooled == 0) continue;
    ++pools;
    EXPECT_EQ(k.pooled, 2);
    EXPECT_EQ(k.name, "[2 small functions]");
    EXPECT_NEAR(k.find("time_s")->observations[0].values.front(), 0.003, 1e-12);
  }
  EXPECT_EQ(pools, 1);
}

TEST(ApplicationData, APoolIsItsSumAndHasItsSamples) {
  // Five functions of 4 samples each, each on a rank of its own, 20 samples together; at 16 ranks two of them on the
  // same rank. That rank's 8 samples are 6.75 above the mean of 1.25, which would be beyond chance for one kernel (1.5
  // sqrt(2 ln 16) sqrt(1.25) = 3.9), yet it is no rank that is slow at other scales.
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 8.0 / np; }}};
  for (int i = 0; i < 5; ++i) {
    app.kernels.push_back({"small" + std::to_string(i), [i](int np, int rank) {
                             const int who = np == 16 && i == 4 ? 3 : i % np;
                             return rank == who ? 0.004 : 0.0;
                           }});
  }
  const ApplicationModel model = model_of(app);
  const KernelData& pool = kernel(model, "[5 small functions]").data();
  EXPECT_FALSE(pool.hardly_sampled);
  EXPECT_EQ(pool.fewest_samples, 20);
  EXPECT_EQ(pool.samples, 20);
  EXPECT_EQ(pool.slowest_rank, std::nullopt);
  for (const Observation& o : pool.critical_series().observations) {
    EXPECT_NEAR(o.values.front(), 0.02 / o.at.front(), 1e-12) << o.at.front();
  }
  // 2 samples at each scale are too few for a trend.
  app.kernels.resize(2);
  app.kernels[1].time_s = [](int np, int) { return 0.002 / np; };
  EXPECT_TRUE(kernel(model_of(app), "[1 small function]").data().hardly_sampled);
}

TEST(ApplicationData, AFunctionThatBecomesLargeIsNotPooled) {
  // 640 samples of all ranks at every scale, and of another function 5 at 8 ranks and 40 at 16: 6 % there.
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 0.64 / np; }},
                 {"late", [](int np, int) {
                    return (np == 16 ? 0.04 : np == 8 ? 0.005 : 0.001) / np;
                  }}};
  EXPECT_EQ(kernel(model_of(app), "late").data().fewest_samples, 1);
}

// One thread's work, outside of parallel regions, falls as 1 / P or stays, while threads wait 0.5 s at every scale.
TEST(ApplicationData, WaitingForWorkThatFallsIsNotJudgedByItsCpuTime) {
  for (const bool falls : {true, false}) {
    SyntheticApplication app;
    const auto alone_s = [falls](int np) { return falls ? 1.0 / np : 0.25; };
    app.kernels = {{"solve", [&](int np, int) { return 8.0 / np + alone_s(np); }},
                   {"[OpenMP waiting]", [](int, int) { return 0.5; }, nullptr, 1000, core::KernelKind::kWaiting}};
    core::Profile profile = app.profile(kScales);
    for (core::Run& run : profile.runs) {
      core::Region& region = run.regions.emplace_back();
      region.source = core::kOpenMp;
      region.parallel.emplace().busy_cpu_s.mean = run.times.computation_s.mean - alone_s(run.np);
    }
    const auto data = application_data(profile);
    ASSERT_TRUE(data.ok());
    for (const KernelData& k : data.value().kernels) {
      EXPECT_EQ(k.hardly_sampled, falls && k.kind == KernelKind::kWaiting) << k.name;
    }
  }
}

// Three repeats on four ranks of 100 samples each, of which one computes 1.25 s and the others 1 s: 17.6 % above the
// mean of 1.0625 s. One repeat does not distinguish that from chance, 1.5 sqrt(2 ln 4 / 100) = 25 %; three with the
// same rank do, 14.4 %. With another rank each time it counts as chance.
// Work of 5 samples at a size of 1, 50 at 10 and 500 at 100, at every number of processes.
TEST(ApplicationData, FewSamplesOfSmallProblemsDoNotPoolAKernel) {
  core::Profile profile;
  for (const double size : {1.0, 10.0, 100.0}) {
    SyntheticApplication app;
    app.kernels = {{"work", [size](int np, int) { return 10 * size / np; }},
                   {"small", [size](int np, int) { return 0.005 * size / np; }},
                   {"rare", [](int np, int) { return 0.004 / np; }}};
    core::Profile of_size = app.profile(kScales);
    for (core::Run& run : of_size.runs) {
      run.parameters["size"] = size;
      run.id = core::run_id({run.np, run.parameters}, 0);
      profile.runs.push_back(run);
    }
  }
  profile.parameter_names = {"size"};
  const auto data = application_data(profile);
  ASSERT_TRUE(data.ok()) << data.error().message;
  std::vector<std::string> names;
  for (const KernelData& k : data.value().kernels) names.push_back(k.name);
  EXPECT_EQ(names, (std::vector<std::string>{"work", "small", "[1 small function]"}));
}

// Warnings of runs are about the numbers that predictions are made from: another program at some scale, above all.
TEST(ApplicationData, WarningsOfRunsAreToldOnce) {
  core::Profile profile = stencil().profile(kScales);
  profile.runs[1].warnings = {"this run ran app.b where np0002.r0 ran app.a: they are taken for one program"};
  profile.runs[2].warnings = {"measuring took another 3.1 %"};
  profile.runs[3].warnings = {"measuring took another 12.5 %"};
  EXPECT_EQ(application_data(profile).value().notes,
            (std::vector<std::string>{
                "of the runs at np=4: this run ran app.b where np0002.r0 ran app.a: they are taken for one program",
                "of the runs at np=8, np=16: measuring took another 3.1 % (figures of np=8)"}));
}

TEST(ApplicationData, TheSameRankInAllRepeatsIsSlowestBeyondTheChanceOfOne) {
  for (const bool same_rank : {true, false}) {
    core::Profile profile;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const int slowest = same_rank ? 0 : repeat;
      SyntheticApplication app;
      app.kernels = {
          {"work", [slowest](int, int rank) { return rank == slowest ? 1.25 : 1.0; }, nullptr, 100 / 1.0625}};
      core::Profile of_repeat = app.profile({4});
      of_repeat.runs.front().repeat = repeat;
      of_repeat.runs.front().id = core::run_id({4, {}}, repeat);
      if (repeat == 0) {
        profile = of_repeat;
      } else {
        profile.runs.push_back(of_repeat.runs.front());
      }
    }
    const auto data = application_data(profile);
    ASSERT_TRUE(data.ok());
    const double expected_s = same_rank ? 1.25 : 1.0625;
    for (const double slowest_s : data.value().totals.at("computation_max_s").observations.front().values) {
      EXPECT_NEAR(slowest_s, expected_s, 1e-9);
    }
    for (const double slowest_s : data.value().kernels.front().series.at("critical_s").observations.front().values) {
      EXPECT_NEAR(slowest_s, expected_s, 1e-9);
    }
  }
}

TEST(ApplicationData, RunsOfDifferentClocksAreRefused) {
  core::Profile profile = stencil().profile(kScales);
  profile.runs.front().clock = core::Clock::kWall;
  const auto data = application_data(profile);
  ASSERT_FALSE(data.ok());
  EXPECT_NE(data.error().hint.find("--clock"), std::string::npos);
}

TEST(ApplicationData, IncompleteRunsAreLeftOutAndTold) {
  core::Profile profile = stencil().profile(kScales);
  profile.runs.back().complete = false;
  const auto data = application_data(profile);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data.value().scales(), (std::vector<double>{2, 4, 8}));
  EXPECT_EQ(data.value().notes.size(), 1u);
}

TEST(ApplicationData, WhatOneRankDoesAtEveryScaleIsBeyondChance) {
  // One sample of rank 0 more than the mean at each of four scales is chance at each. 12 samples a rank and 24 on rank
  // 0 are, at two ranks with a mean of 18, 6 / sqrt(18) = 1.4 deviations, below the required 1.8; at 4 to 16 they are 9
  // / sqrt(15), 10.5 / sqrt(13.5), 11.25 / sqrt(12.75).
  const auto slowest_at_2 = [](bool same_rank) {
    SyntheticApplication app;
    app.kernels = {{"write", [same_rank](int np, int rank) {
                      const int who = same_rank || np == 2 ? 0 : np / 2;
                      return rank == who ? 0.024 : 0.012;
                    }}};
    const auto data = application_data(app.profile(kScales));
    return data.value().kernels.front().find("critical_s")->observations.front().values.front();
  };
  EXPECT_NEAR(slowest_at_2(true), 0.024, 1e-12);
  EXPECT_NEAR(slowest_at_2(false), 0.018, 1e-12);
}

TEST(ApplicationData, WhatIsTooLittleToFollowStillKeepsItsRank) {
  // Three functions of 6 samples each that only rank 0 runs: too few for a curve, 18 ms of rank 0 together.
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 4.0 / np; }}};
  for (const char* name : {"open_files", "read_header", "close_files"}) {
    app.kernels.push_back({name, [](int, int rank) { return rank == 0 ? 0.006 : 0.0; }});
  }
  const ApplicationModel model = model_of(app);
  const KernelModel& pool = kernel(model, "[3 small functions]");
  EXPECT_EQ(pool.data().slowest_rank, std::optional(0));
  EXPECT_NEAR(pool.critical_s(std::array{1024.0}).value, 0.018, 0.001);
  EXPECT_NEAR(model.predict(std::array{1024.0}).waiting_s.value, 0.018, 0.001);
}

TEST(ApplicationData, CallsOfDifferentSizesSayWhatACallAndAByteCost) {
  // Messages of 1e6 P^(-2/3) bytes at 10 us and 1 ns a byte.
  SyntheticApplication app = stencil();
  const auto size = [](int np) { return 1e6 * std::pow(np, -2.0 / 3); };
  app.operations = {{"MPI_Send", [](int np) { return 1000.0 * np; }, [size](int np) { return 1000.0 * np * size(np); },
                     [size](int np) { return 10e-6 + 1e-9 * size(np); }}};
  const auto data = application_data(app.profile(kScales));
  for (const KernelData& k : data.value().kernels) {
    if (k.kind != KernelKind::kMpi) continue;
    ASSERT_TRUE(k.message_cost);
    EXPECT_NEAR(k.message_cost->call_s, 10e-6, 1e-9);
    EXPECT_NEAR(k.message_cost->byte_s, 1e-9, 1e-13);
  }
}

TEST(ApplicationData, CountedLoadsAndSimulatedLoadsAndStoresAreNotOneSeries) {
  // Three scales were simulated, one was counted.
  core::Profile profile = profile_with_resources({2, 4, 8, 16});
  profile.runs.back().counters = "papi";
  const auto data = application_data(profile);
  ASSERT_TRUE(data.ok());
  const KernelData& sweep = data.value().kernels.front();
  EXPECT_EQ(sweep.find("l1_hits")->observations.size(), 3u);
  EXPECT_EQ(sweep.find("bf_mem")->observations.size(), 3u);
  EXPECT_EQ(sweep.find("instructions")->observations.size(), 4u);
  ASSERT_FALSE(data.value().notes.empty());
  EXPECT_NE(data.value().notes.front().find("some runs were counted, by loads, and others simulated"),
            std::string::npos);
}

// Loads of this run were counted in all rounds. A count of samples has an error, too, and is none of a part of the run.
TEST(ApplicationData, CountsOfFewRoundsAreEstimates) {
  core::Profile profile = profile_with_resources({2, 4, 8});
  profile.runs[1].kernels.front().count_errors = {{"instructions", 0}};
  for (const bool of_samples : {false, true}) {
    if (of_samples) profile.runs[1].counter_method = "events";
    const auto data = application_data(profile);
    ASSERT_TRUE(data.ok());
    const KernelData& sweep = data.value().kernels.front();
    EXPECT_EQ(sweep.find("instructions")->is_estimate, !of_samples);
    EXPECT_FALSE(sweep.find("l1_hits")->is_estimate);
    EXPECT_FALSE(sweep.main_series().is_estimate);
  }
}

}  // namespace
}  // namespace scalediag::fit
