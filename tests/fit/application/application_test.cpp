#include "fit/application/application.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "fit/profile/profile_data.h"
#include "tests/fit/application/application_models.h"

namespace scalediag::fit {
namespace {

TEST(Application, PredictsTheSumOfItsKernels) {
  const ApplicationModel model = model_of(stencil());
  // np=128: 40/128 + 0.5 = 0.8125 s; 1000 x 127 messages over 128 ranks at 10 us: 9.92 ms.
  const std::array<double, 1> at = {128};
  const Prediction p = model.predict(at);
  EXPECT_NEAR(p.computation_s.value, 0.8125, 0.05 * 0.8125);
  EXPECT_NEAR(p.communication_s.value, 127000.0 / 128 * 10e-6, 0.1 * 9.92e-3);
  EXPECT_LE(p.total_s.low, p.total_s.value);
  EXPECT_GE(p.total_s.high, p.total_s.value);
  EXPECT_LE(p.computation_s.low, 0.8125);
  EXPECT_GE(p.computation_s.high, 0.8125);
}

TEST(Application, CountsAreExact) {
  const ApplicationModel model = model_of(stencil());
  const std::array<double, 1> at = {128};
  const KernelModel& send = kernel(model, "MPI_Send");
  EXPECT_NEAR(send.calls()->evaluate(at).value, 127000, 1e-3);
  EXPECT_NEAR(send.bytes()->evaluate(at).value, 8e6 * 127, 1);
}

// Sums along rows of a square of processes: 4 ranks take part at 16, 16 at 256.
TEST(Application, ACollectiveIsPricedByItsCommunicator) {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  app.kernels = {{"work", [](int np, int) { return 40.0 / np; }}};
  const auto rows = [](int np) { return static_cast<int>(std::lround(std::sqrt(np))); };
  app.operations = {{"MPI_Allreduce", [](int np) { return 100.0 * np; }, [](int np) { return 800.0 * np; },
                     [rows](int np) { return 1e-3 * std::log2(rows(np)); }}};
  app.operations.front().communicator = rows;
  const ApplicationModel model = model_of(app, {4, 16, 64, 256});
  const auto load = kernel(model, "MPI_Allreduce").load(std::vector<double>{1024});
  ASSERT_TRUE(load);
  EXPECT_NEAR(load->processes, 32, 0.01);
  // 100 calls of 1 ms log2 32.
  EXPECT_NEAR(*model.cost().time_s(*load), 0.5, 0.001);
  // All ranks, where nothing else is known: 1 ms / 2 log2 1024, which is the same only as long as rows are roots.
  app.operations.front().communicator = [](int) { return 4; };
  app.operations.front().call_s = [](int) { return 2e-3; };
  const ApplicationModel fours = model_of(app, {4, 16, 64, 256});
  EXPECT_NEAR(kernel(fours, "MPI_Allreduce").load(std::vector<double>{1024})->processes, 4, 1e-9);
}

// 0.5 s of communication and 0.25 s in which threads wait, at each scale: (run - computation) / T_comm = 0.75 / 0.5.
TEST(Application, BlockingFactorOfTheSourceIsAllThatIsNoComputation) {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  app.kernels = {{"work", [](int np, int) { return 40.0 / np; }},
                 {"[OpenMP waiting]", [](int, int) { return 0.25; }, nullptr, 1000, core::KernelKind::kWaiting}};
  app.operations = {
      {"MPI_Send", [](int np) { return 100.0 * np; }, [](int np) { return 8e5 * np; }, [](int) { return 5e-3; }}};
  const ApplicationModel model = model_of(app);
  for (const double np : {2, 16, 64}) {
    const auto factor = model.blocking_factor_of_source(std::vector<double>{np});
    ASSERT_TRUE(factor) << np;
    EXPECT_NEAR(*factor, 1.5, 0.02) << np;
  }
  app.clock = core::Clock::kCpu;
  EXPECT_FALSE(model_of(app).blocking_factor_of_source(std::vector<double>{64}));
}

// A stated ratio is of the calculated bytes: 100 messages a rank of 8 kB for 1 ms, 4 times the bytes at x = 8.
TEST(Application, AStatedVolumeRatioPricesTheOperation) {
  SyntheticApplication app = stencil();
  app.clock = core::Clock::kWall;
  app.operations = {{"MPI_Send", [](int np) { return 100.0 * np; }, [](int np) { return 8e5 * np * (1 + 1.0 / np); },
                     [](int np) { return 1e-3 * (1 + 1.0 / np); }}};
  core::Profile profile = app.profile(kScales);
  profile.parameter_names = {"x"};
  for (core::Run& run : profile.runs) run.parameters["x"] = 1;
  ApplicationOptions options;
  options.fit.size = "x";
  options.volume_ratios["MPI_Send"] = 4;
  auto data = application_data(profile);
  ASSERT_TRUE(data.ok());
  const auto model = fit_application(std::move(data).value(), options);
  ASSERT_TRUE(model.ok());
  const KernelModel& send = kernel(model.value(), "MPI_Send");
  EXPECT_EQ(send.method(), Method::kResources);
  // The time is all that of the bytes: 1e-3 / 8e3 s a byte. 16 ranks: 8e5 (1 + 1/16) bytes a rank, four times.
  EXPECT_NEAR(send.time_s(std::vector<double>{16, 8}).value, 4 * 0.1 * (1 + 1.0 / 16), 0.01);
  EXPECT_NEAR(send.time_s(std::vector<double>{16, 1}).value, 0.1 * (1 + 1.0 / 16), 0.0025);
}

TEST(Application, HoldsItselfAgainstTheLargestScale) {
  const ApplicationModel model = model_of(stencil());
  const ApplicationBacktest& b = model.backtest();
  EXPECT_EQ(b.np, 16);
  EXPECT_EQ(b.from, (std::vector<double>{2, 4, 8}));
  // np=16: 2.5 + 0.5 computed, 937.5 messages of 10 us; 0.01 to start and end are no part of the run.
  EXPECT_NEAR(b.measured_s, 3.0 + 937.5 * 10e-6, 1e-6);
  EXPECT_NEAR(b.predicted_s, b.measured_s, 0.1 * b.measured_s);
}

// One function of 1 s and messages of 10 s a rank. With the CPU clock the time of messages is made of their counts,
// which come out exactly: that is no error of a time. Where ranks compute nothing, no kernel's error is left.
TEST(Application, OnlyMeasuredTimesHaveAnErrorInTheMedian) {
  SyntheticApplication app;
  app.kernels = {{"work", [](int, int) { return 1.0; }}};
  app.operations = {
      {"MPI_Send", [](int np) { return 1000.0 * np; }, [](int np) { return 8e6 * np; }, [](int) { return 1e-2; }}};
  app.clock = core::Clock::kWall;
  EXPECT_EQ(model_of(app).backtest().kernels, 2);
  app.clock = core::Clock::kCpu;
  EXPECT_EQ(model_of(app).backtest().kernels, 1);
  app.kernels.front().time_s = [](int, int) { return 1e-3; };
  EXPECT_EQ(model_of(app).backtest().kernels, 0);
}

TEST(Application, WaitingFollowsTheSlowestRank) {
  SyntheticApplication app;
  // Rank 0 has sqrt(P) times the mean, which is 40 / P.
  app.kernels = {{"integrate", [](int np, int rank) {
                    const double mean = 40.0 / np, slowest = mean * std::sqrt(np);
                    return rank == 0 ? slowest : (mean * np - slowest) / (np - 1);
                  }}};
  const ApplicationModel model = model_of(app);
  const std::array<double, 1> at = {64};
  const Prediction p = model.predict(at);
  // mean 0.625 s, slowest 5 s.
  EXPECT_NEAR(p.computation_s.value, 0.625, 0.04);
  EXPECT_NEAR(p.waiting_s.value, 4.375, 0.5);
  EXPECT_NEAR(p.total_s.value, 5.01, 0.5);
}

TEST(Application, NoRankComputesLessThanItsSerialFunction) {
  // At the measured scales rank 0's half second of writing makes it 1.01 to 1.13 times as slow as the mean; at 1024
  // ranks it is all that is left: mean 40 / 1024 + 0.5 / 1024 s, slowest more than 0.5 s.
  SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 40.0 / np; }},
                 {"write", [](int, int rank) { return rank == 0 ? 0.5 : 0.0; }}};
  const ApplicationModel model = model_of(app);
  const std::array<double, 1> at = {1024};
  const Prediction p = model.predict(at);
  EXPECT_NEAR(p.computation_s.value, 0.0396, 0.004);
  EXPECT_GE(p.slowest_computation_s.value, 0.49);
  EXPECT_NEAR(p.computation_s.value + p.waiting_s.value, p.slowest_computation_s.value, 1e-9);
  EXPECT_NEAR(p.waiting_s.value, 0.5, 0.05);
}

// Rank 0 sends 40 messages of 160 kB to each other rank, at 15 us; the others send nothing.
SyntheticApplication rooted(core::Clock clock) {
  SyntheticApplication app;
  app.clock = clock;
  app.kernels = {{"sweep", [](int np, int) { return 4.0 / np; }}};
  app.operations = {{"MPI_Send", [](int np) { return 40.0 * (np - 1); }, [](int np) { return 40 * 160e3 * (np - 1); },
                     [](int) { return 15e-6; }, [](int) { return 0.0; },
                     [](int, int rank) { return rank == 0 ? 1.0 : 0.0; }}};
  return app;
}

TEST(Application, ARankThatSendsToAllBoundsTheTotal) {
  // At 1024: 40 x 1023 x 15 us = 0.6138 s on rank 0, 0.6 ms in the mean; computed are 4 / 1024 s.
  const double alone_s = 40 * 1023 * 15e-6, computed_s = 4.0 / 1024;
  const std::array<double, 1> at = {1024};
  for (const core::Clock clock : {core::Clock::kCpu, core::Clock::kWall}) {
    const ApplicationModel model = model_of(rooted(clock));
    const KernelModel& send = kernel(model, "MPI_Send");
    EXPECT_EQ(send.data().slowest_rank, std::optional(0));
    EXPECT_NEAR(send.time_s(at).value, alone_s / 1024, 0.05 * alone_s / 1024);
    EXPECT_NEAR(send.critical_s(at).value, alone_s, 0.01 * alone_s);
    EXPECT_NEAR(send.critical_load(at)->calls, 40 * 1023, 1e-6 * 40 * 1023);
    EXPECT_NEAR(send.critical_load(at)->bytes, 40 * 1023 * 160e3, 1e-6 * 40 * 1023 * 160e3);
    const Prediction p = model.predict(at);
    EXPECT_NEAR(p.total_s.value, computed_s + alone_s + 0.01, 0.03) << core::name_of(clock);
    // The waiting of the others is a term of its own where time in MPI does not show it.
    const double waited_s = alone_s * 1023 / 1024;
    EXPECT_NEAR(clock == core::Clock::kCpu ? p.waiting_s.value : p.communication_s.value, waited_s, 0.02 * alone_s);
  }
  // The same at a measured scale: 40 x 15 x 15 us = 9 ms on rank 0 at 16.
  const auto data = application_data(rooted(core::Clock::kCpu).profile(kScales));
  EXPECT_NEAR(data.value().totals.at("total_s").observations.back().values.front(), 4.0 / 16 + 0.009 + 0.01, 1e-9);
}

// As two shared cores gave it: rank 0 sends 3000 messages to each other rank. In two of three runs it waited on its
// core, which is CPU time too; in the one of 3 ranks it used 22 ms, at a sample a ms 22 + 1.645 x 22^(1/2) + 3 = 32.7
// ms at most for 6000 messages. That is what they cost at every scale: 3000 x 1023 x 5.45 us = 16.7 s at 1024.
TEST(Application, MessagesOfOneRankCostTheSameAtEveryScale) {
  SyntheticApplication app = rooted(core::Clock::kCpu);
  app.operations.front().calls = [](int np) { return 3000.0 * (np - 1); };
  app.operations.front().bytes = [](int np) { return 3000 * 160e3 * (np - 1); };
  app.operations.front().call_s = [](int np) { return np == 2 ? 13.7e-6 : np == 3 ? 20.7e-6 : 15.7e-6; };
  core::Profile profile = app.profile({2, 3, 4});
  for (core::Run& run : profile.runs) {
    run.sampling_rate_hz = 1000;
    run.hosts = {"node1"};
    core::MpiOperation& send = run.operations.front();
    const double used_s = run.np == 2 ? 0.559 : run.np == 3 ? 0.022 : 0.122;
    send.time_s = {used_s, used_s / run.np, 0, used_s, 1, 0};
    send.samples = static_cast<uint64_t>(std::lround(1000 * used_s));
  }
  auto data = application_data(profile);
  ASSERT_TRUE(data.ok());
  const ApplicationModel model = fit_application(std::move(data).value()).value();
  const KernelModel& send = kernel(model, "MPI_Send");
  const std::array<double, 1> at = {1024};
  EXPECT_EQ(send.calls()->formula(), "3000 (P - 1)");
  EXPECT_FALSE(send.calls()->has_few_scales());
  const Estimate alone = send.critical_s(at);
  EXPECT_NEAR(alone.value, 16.7, 0.2);
  // They may cost what the fastest call of a middling run took: 3000 x 1023 x 15.7 us = 48.2 s. Counts are exact.
  EXPECT_GE(alone.low, 0.9 * alone.value);
  EXPECT_NEAR(alone.high, 48.2, 0.5);
  EXPECT_NEAR(send.time_s(at).value, alone.value / 1024, 0.01 * alone.value / 1024);
  EXPECT_GE(model.predict(at).total_s.value, alone.value);
}

// 100 all-to-alls a rank with 64 kB for each other one, as ranks that share cores gave them: with few ranks even the
// shortest call waited long. The 16 ranks took 300 us for 15 messages, 20 us each, and so a call of 1024 ranks takes
// 1023 x 20 us at least, 2.046 s in all, however the times of 2 to 16 fall.
TEST(Application, AnAllToAllTakesLongerWithEveryRank) {
  for (const core::Clock clock : {core::Clock::kCpu, core::Clock::kWall}) {
    SyntheticApplication app;
    app.clock = clock;
    app.kernels = {{"work", [](int np, int) { return 4.0 / np; }}};
    const auto call_s = [](int np) { return np == 2 ? 900e-6 : np == 4 ? 450e-6 : np == 8 ? 350e-6 : 300e-6; };
    app.operations = {
        {"MPI_Alltoall", [](int np) { return 100.0 * np; }, [](int np) { return 100.0 * np * np * 65536; }, call_s}};
    const ApplicationModel model = model_of(app);
    const Estimate time = kernel(model, "MPI_Alltoall").time_s(std::array{1024.0});
    EXPECT_GE(time.value, 0.99 * 2.046) << core::name_of(clock);
    EXPECT_LE(time.value, 1.5 * 2.046) << core::name_of(clock);
    EXPECT_GT(time.low, 1) << core::name_of(clock);
    EXPECT_GE(model.predict(std::array{1024.0}).run_s.value, 2) << core::name_of(clock);
  }
  // Where the CPU clock costs calls, all scales have the same cost: 100 x 3 x 20 us of 4 ranks.
  SyntheticApplication app;
  app.kernels = {{"work", [](int np, int) { return 4.0 / np; }}};
  app.operations = {{"MPI_Alltoall", [](int np) { return 100.0 * np; }, [](int np) { return 100.0 * np * np * 65536; },
                     [](int np) { return np == 16 ? 300e-6 : 1e-3; }}};
  const auto data = application_data(app.profile(kScales));
  EXPECT_NEAR(data.value().totals.at("communication_s").observations[1].values.front(), 100 * 3 * 20e-6, 1e-9);
}

// What waiting takes may well fall: 1000 messages a rank that take 10 us, and 2 s / P in which it waits for them.
TEST(Application, TimeThatFallsByWaitingFallsToWhatTheMessagesTake) {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  app.kernels = {{"work", [](int np, int) { return 4.0 / np; }}};
  app.operations = {{"MPI_Recv", [](int np) { return 1000.0 * np; }, [](int np) { return 8e6 * np; },
                     [](int) { return 10e-6; }, [](int np) { return 2.0 / np; }}};
  const ApplicationModel model = model_of(app);
  const Estimate time = kernel(model, "MPI_Recv").time_s(std::array{1024.0});
  EXPECT_GE(time.value, 0.01 - 1e-9);
  EXPECT_LE(time.value, 0.02);
}

// Waits that grow with the cube of the ranks up to 16 would be 43 minutes a rank on 1024, for 100 calls of 8 bytes.
// They are at most 5 x 1024 / 16 times the 10 ms that they took there, 3.2 s, and not in their interval either.
TEST(Application, TimeThatGrowsByWaitingGrowsNoFasterThanLoadAndRanksAllow) {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  app.kernels = {{"work", [](int np, int) { return 4.0 / np; }}};
  app.operations = {{"MPI_Allreduce", [](int np) { return 100.0 * np; }, [](int np) { return 800.0 * np; },
                     [](int) { return 1e-9; }, [](int np) { return 1e-2 * std::pow(np / 16.0, 3); }}};
  const ApplicationModel model = model_of(app);
  const KernelModel& allreduce = kernel(model, "MPI_Allreduce");
  const Estimate time = allreduce.time_s(std::array{1024.0});
  EXPECT_LE(time.high, 5 * 64 * 1.001e-2);
  EXPECT_TRUE(allreduce.is_most_cost(std::array{1024.0}));
  // Measured scales and those between them stay as their model has them.
  EXPECT_FALSE(allreduce.is_most_cost(std::array{16.0}));
}

TEST(Application, WhoServesTheOthersDoesNotWorkLikeThemAsWell) {
  // Rank 0 serves for as long as the others work, 8 / (P - 1) s: no rank computes longer than the mean.
  SyntheticApplication app;
  app.kernels = {{"serve", [](int np, int rank) { return rank == 0 ? 8.0 / (np - 1) : 0; }},
                 {"work", [](int np, int rank) { return rank == 0 ? 0 : 8.0 / (np - 1); }}};
  const ApplicationModel model = model_of(app, {4, 8, 16, 32});
  const Prediction p = model.predict(std::array{128.0});
  EXPECT_NEAR(p.computation_s.value, 8.0 / 127, 0.05 * 8 / 127);
  EXPECT_NEAR(p.slowest_computation_s.value, 8.0 / 127, 0.1 * 8 / 127);
}

TEST(Application, NeighboursInAGridAreNoRoot) {
  // Rows of an open chain: its ends have one neighbour and all others two.
  SyntheticApplication app = stencil();
  app.operations.front().share = [](int np, int rank) {
    return (rank == 0 || rank == np - 1 ? 1.0 : 2.0) / (2.0 * (np - 1));
  };
  EXPECT_FALSE(kernel(model_of(app), "MPI_Send").data().slowest_rank);
}

TEST(Application, TheTotalIsThatOfKernelsThatGoDifferentWays) {
  // One kernel falls as 1/P and one grows as P: at the measured scales their sum falls, 40.1, 20.2, 10.4, 5.8.
  SyntheticApplication app = stencil();
  app.kernels = {{"falls", [](int np, int) { return 80.0 / np; }}, {"grows", [](int np, int) { return 0.05 * np; }}};
  const ApplicationModel model = model_of(app);
  const std::array<double, 1> at = {256};
  double of_kernels = 0;
  for (const KernelModel& k : model.kernels()) {
    if (k.data().kind != KernelKind::kMpi) of_kernels += k.time_value(at);
  }
  EXPECT_NEAR(of_kernels, 80.0 / 256 + 0.05 * 256, 0.1 * 13.1);
  EXPECT_NEAR(model.predict(at).computation_s.value, of_kernels, 1e-6 * of_kernels);
}

TEST(Application, ResourcesAreUsedWhereTheyPredictBetter) {
  SyntheticApplication app = stencil();
  // Instructions fall exactly as 1/P; an instruction takes the same time except for disturbances of a run. Finding the
  // one constant needs less data than finding the slope of the time.
  const std::map<int, double> disturbed = {{2, 1.06}, {4, 0.95}, {8, 1.05}, {16, 1.0}};
  app.kernels[0].time_s = [&](int np, int) { return 40.0 / np * disturbed.at(np); };
  app.kernels[0].instructions = [](int np) { return 1e11 / np; };
  app.kernels[1].instructions = [](int) { return 1e9; };
  const ApplicationModel model = model_of(app);
  const KernelModel& sweep = kernel(model, "sweep");
  ASSERT_TRUE(sweep.backtest());
  ASSERT_TRUE(sweep.backtest()->time_error);
  ASSERT_TRUE(sweep.backtest()->resources_error);
  EXPECT_EQ(sweep.method(), Method::kResources);
  const std::array<double, 1> at = {128};
  EXPECT_NEAR(sweep.metric("instructions", at)->value, 1e11 / 128, 0.03 * 1e11 / 128);
  EXPECT_NEAR(sweep.time_value(at), 40.0 / 128, 0.06 * 40.0 / 128);
}

TEST(Application, TinyKernelsGoTheWayOfTimeUnchecked) {
  // A ten-thousandth of the time, and as disturbed as the kernel that is predicted better from its instructions.
  SyntheticApplication app = stencil();
  const std::map<int, double> disturbed = {{2, 1.06}, {4, 0.95}, {8, 1.05}, {16, 1.0}};
  app.kernels.push_back(
      {"tiny", [&](int np, int) { return 4e-3 / np * disturbed.at(np); }, [](int np) { return 1e7 / np; }, 1e6});
  const ApplicationModel model = model_of(app);
  const KernelModel& tiny = kernel(model, "tiny");
  EXPECT_EQ(tiny.method(), Method::kTime);
  ASSERT_TRUE(tiny.backtest());
  EXPECT_FALSE(tiny.backtest()->resources_error);
  // Its instructions are predicted all the same.
  EXPECT_NEAR(tiny.metric("instructions", std::array{128.0})->value, 1e7 / 128, 0.03 * 1e7 / 128);
}

TEST(Application, FixedWorkDoesNotGrowByNoise) {
  // Every rank executes the same at every scale; the time rises by chance: 1.5 % a doubling, of which its scatter
  // around that line explains 2.92 (Student, two degrees of freedom) x 0.6 %.
  SyntheticApplication app = stencil();
  const std::map<int, double> disturbed = {{2, 1.00}, {4, 0.99}, {8, 1.02}, {16, 1.04}};
  app.kernels[1].time_s = [&](int np, int) { return disturbed.at(np); };
  app.kernels[1].instructions = [](int) { return 1e9; };
  const ApplicationModel model = model_of(app);
  const KernelModel& setup = kernel(model, "setup");
  EXPECT_EQ(setup.method(), Method::kResources);
  const double level = std::pow(1.00 * 0.99 * 1.02 * 1.04, 0.25);
  for (const double np : {32.0, 1024.0}) {
    const Estimate e = setup.time_s(std::array{np});
    EXPECT_NEAR(e.value, level, 1e-3 * level) << np;
    // Further growth is not excluded.
    EXPECT_GT(e.high, 1.04);
    EXPECT_DOUBLE_EQ(setup.time_value(std::array{np}), e.value);
  }
  EXPECT_TRUE(setup.value_of_formula().is_value);
  EXPECT_EQ(setup.formula(), "(1e+09) x (1.012e-09)");
}

TEST(Application, IntervalOfCountsTimesCostsIsNoWiderThanThatOfTheTime) {
  // Counts that are 4 % off make an instruction 4 % dearer or cheaper: both factors vary, the time hardly does.
  SyntheticApplication app = stencil();
  const std::map<int, double> disturbed = {{2, 1.00}, {4, 0.99}, {8, 1.02}, {16, 1.04}};
  const std::map<int, double> counted = {{2, 1.04}, {4, 0.96}, {8, 0.96}, {16, 1.04}};
  app.kernels[1].time_s = [&](int np, int) { return disturbed.at(np); };
  app.kernels[1].instructions = [&](int np) { return 1e9 * counted.at(np); };
  const ApplicationModel model = model_of(app);
  const KernelModel& setup = kernel(model, "setup");
  ASSERT_EQ(setup.method(), Method::kResources);
  for (const double np : {32.0, 1024.0}) {
    const Estimate e = setup.time_s(std::array{np});
    const Estimate direct = setup.model("time_s")->evaluate(std::array{np});
    // The kernel is known from some 1,000 samples a rank, which widens the interval a little.
    EXPECT_LT(e.high, 1.01 * direct.high) << np;
    EXPECT_GT(e.low, 0.99 * direct.low) << np;
  }
}

TEST(Application, WorkWhoseInstructionsGetDearerStillGrows) {
  // The same instructions take 30 % longer with every doubling, beside a noise of 1 %.
  SyntheticApplication app = stencil();
  const std::map<int, double> disturbed = {{2, 1.00}, {4, 0.99}, {8, 1.01}, {16, 1.00}};
  app.kernels[1].time_s = [&](int np, int) { return std::pow(1.3, std::log2(np)) * disturbed.at(np); };
  app.kernels[1].instructions = [](int) { return 1e9; };
  const ApplicationModel model = model_of(app);
  // 1.3^4 = 2.86 s at np=16.
  EXPECT_GT(kernel(model, "setup").time_value(std::array{64.0}), 1.2 * 2.86);
}

// The values of profile_with_resources at 64 ranks, by its definition.
TEST(Application, EveryMetricOfResourcesIsPredictedAndTheyFitTogether) {
  auto data = application_data(profile_with_resources({2, 4, 8, 16, 32}));
  ASSERT_TRUE(data.ok());
  const auto model = fit_application(std::move(data).value());
  ASSERT_TRUE(model.ok());
  const KernelModel& sweep = kernel(model.value(), "sweep");
  const std::array<double, 1> at = {64};
  const std::map<std::string, double> expected = {{"instructions", 8e9 / 64},
                                                  {"l1_hits", 2e9 / 64},
                                                  {"llc_hits", 1e8 / 64},
                                                  {"memory_accesses", 1e7},
                                                  {"flops", 4e9 / 64},
                                                  {"cpi", 0.6},
                                                  {"hz", 3e9},
                                                  {"t_comp_s", 0.025},
                                                  {"t_mem_l1_s", 2.0 / 64},
                                                  {"t_mem_llc_s", 1.6 / 64},
                                                  {"t_mem_memory_s", 1},
                                                  {"t_mem_s", 1.05625},
                                                  {"t_stall_s", 0.25 * 1.05625},
                                                  {"bf_mem", 0.25},
                                                  {"bf_mem_high", 0.5},
                                                  {"l1_hit_ratio", 2e9 / (2.1e9 + 64e7)},
                                                  {"llc_hit_ratio", 1e8 / (1e8 + 64e7)},
                                                  {"llc_miss_ratio", 64e7 / (2.1e9 + 64e7)},
                                                  {"memory_bytes", 64e7},
                                                  {"flops_per_byte", 4e9 / 64 / 64e7}};
  std::map<std::string, double> found;
  for (const auto& [name, value] : expected) {
    const auto predicted = sweep.metric(name, at);
    ASSERT_TRUE(predicted) << name;
    found[name] = predicted->value;
    EXPECT_NEAR(predicted->value, value, 0.02 * value) << name;
    EXPECT_LE(predicted->low, predicted->value) << name;
    EXPECT_GE(predicted->high, predicted->value) << name;
    EXPECT_FALSE(sweep.metric_model(name)->formula.empty()) << name;
  }
  // As the equations say, to the digit, whatever the models are.
  EXPECT_NEAR(found["t_mem_s"], found["t_mem_l1_s"] + found["t_mem_llc_s"] + found["t_mem_memory_s"], 1e-12);
  EXPECT_NEAR(found["t_stall_s"], found["bf_mem"] * found["t_mem_s"], 1e-12);
  EXPECT_NEAR(found["t_comp_s"], found["instructions"] * found["cpi"] / found["hz"], 1e-12);
  EXPECT_NEAR(found["l1_hit_ratio"],
              found["l1_hits"] / (found["l1_hits"] + found["llc_hits"] + found["memory_accesses"]), 1e-12);
  EXPECT_EQ(sweep.metric_model("t_mem_s")->formula, "t_mem_l1_s + t_mem_llc_s + t_mem_memory_s");
  EXPECT_FALSE(sweep.metric("l2_hits", at)) << "was never counted";
}

TEST(Application, OneConfigurationIsTooFewAndSaysWhichRunsToMake) {
  auto data = application_data(stencil().profile({8}));
  ASSERT_TRUE(data.ok());
  const auto model = fit_application(std::move(data).value());
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().hint.find("scalediag profile -n 2,4,8,16"), std::string::npos) << model.error().hint;
}

TEST(Application, TwoScalesPredictWithoutACheckAndSaySo) {
  const ApplicationModel model = model_of(stencil(), {2, 4});
  EXPECT_EQ(model.backtest().np, 0);
  ASSERT_FALSE(model.notes().empty());
  EXPECT_NE(model.notes().back().find("too few to check"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::fit
