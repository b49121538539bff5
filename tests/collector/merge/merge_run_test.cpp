// The sums over ranks. Modules are files that do not exist, so that code is named by its page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

constexpr uint32_t kOutside = raw::kOutsideMpi;
const ModuleSpan kApp = {0x10000, 0x10000, 0x20000, "/nonexistent/app", ""};
const ModuleSpan kMpi = {0x20000, 0x20000, 0x30000, "/nonexistent/libmpi.so.40", ""};
const ModuleSpan kOurs = {0x30000, 0x30000, 0x40000, "/nonexistent/libscalediag.so", ""};
const std::string kFirstPage = "app+0x0-0xfff";
const std::string kSecondPage = "app+0x1000-0x1fff";

SampleRow sample(uint64_t address, uint64_t samples, uint64_t cpu_ms, uint32_t thread_class = raw::kMainThread,
                 uint32_t epoch = 0) {
  return {{thread_class, kOutside, epoch, address}, {samples, cpu_ms * kMillisecond, 0, {}}};
}
SampleRow sample_in(uint32_t operation, uint64_t samples, uint64_t cpu_ms, uint32_t thread_class = raw::kMainThread) {
  return {{thread_class, operation, 0, 0}, {samples, cpu_ms * kMillisecond, 0, {}}};
}

const core::Kernel* kernel(const core::Run& run, const std::string& name) {
  const auto k = std::find_if(run.kernels.begin(), run.kernels.end(), [&](const auto& x) { return x.name == name; });
  return k == run.kernels.end() ? nullptr : &*k;
}
const core::MpiOperation* operation(const core::Run& run, const std::string& name) {
  const auto o =
      std::find_if(run.operations.begin(), run.operations.end(), [&](const auto& x) { return x.operation == name; });
  return o == run.operations.end() ? nullptr : &*o;
}

core::Run merged_run(const RunFolder& f, core::Clock clock = core::Clock::kCpu) {
  auto run = f.merge(clock);
  EXPECT_TRUE(run.ok()) << run.error().message;
  return std::move(run).value();
}

void expect_over_ranks(const core::OverRanks& v, double sum, double mean, double min, double max, int rank_of_min,
                       int rank_of_max) {
  EXPECT_NEAR(v.sum, sum, 1e-9);
  EXPECT_NEAR(v.mean, mean, 1e-9);
  EXPECT_NEAR(v.min, min, 1e-9);
  EXPECT_NEAR(v.max, max, 1e-9);
  EXPECT_EQ(v.rank_of_min, rank_of_min);
  EXPECT_EQ(v.rank_of_max, rank_of_max);
}

TEST(MergeRun, KernelsAreSummedOverRanks) {
  RunFolder f(3);
  f.write("a.raw",
          finished_file(
              {.rank = 0, .size = 3, .modules = {kApp}, .samples = {sample(0x10010, 2, 8), sample(0x10020, 1, 4)}}));
  // The same program at another address: the kernel is the same.
  const ModuleSpan elsewhere = {0x50000, 0x50000, 0x60000, "/nonexistent/app", ""};
  f.write(
      "b.raw",
      finished_file(
          {.rank = 1, .size = 3, .modules = {elsewhere}, .samples = {sample(0x50010, 5, 20), sample(0x51000, 1, 3)}}));
  f.write("c.raw", finished_file({.rank = 2, .size = 3, .modules = {kApp}}));
  const core::Run run = merged_run(f);
  EXPECT_TRUE(run.complete) << run.reason;
  ASSERT_EQ(run.kernels.size(), 2u);
  EXPECT_EQ(run.kernels[0].name, kFirstPage);  // by falling time
  EXPECT_EQ(run.kernels[0].module, "app");
  EXPECT_EQ(run.kernels[0].samples, 8u);
  // Ranks have 8 + 4, 20 and 0 ms.
  expect_over_ranks(run.kernels[0].metrics.at("time_s"), 0.032, 0.032 / 3, 0, 0.020, 2, 1);
  // Two ranks lack it: the lower one is named.
  expect_over_ranks(run.kernels[1].metrics.at("cpu_s"), 0.003, 0.001, 0, 0.003, 0, 1);
  EXPECT_EQ(run.samples, 9u);
}

TEST(KernelsOfRanks, AreOfEachRankByItself) {
  RunFolder f(3);
  for (uint32_t r = 0; r < 3; ++r) {
    f.write("rank" + std::to_string(r) + ".raw",
            finished_file({.rank = r, .size = 3, .modules = {kApp}, .samples = {sample(0x10010, r + 1, 4 * (r + 1))}}));
  }
  SymbolCache symbols;
  const auto kernels = kernels_of_ranks(f.folder(), f.entry(), {2, 0, 7}, {core::Clock::kCpu, "", false}, symbols);
  ASSERT_TRUE(kernels.ok());
  ASSERT_EQ(kernels.value().size(), 3u);
  ASSERT_EQ(kernels.value()[0].size(), 1u);
  EXPECT_EQ(kernels.value()[0][0].name, kFirstPage);
  EXPECT_EQ(kernels.value()[0][0].samples, 3u);  // rank 2: 3 samples, 12 ms
  EXPECT_NEAR(kernels.value()[0][0].metrics.at("time_s").sum, 0.012, 1e-9);
  EXPECT_NEAR(kernels.value()[1][0].metrics.at("time_s").sum, 0.004, 1e-9);
  EXPECT_TRUE(kernels.value()[2].empty());  // there is no rank 7
}

TEST(MergeRun, TimesAddUpInTheCpuClock) {
  RunFolder f(2);
  const RankLife life = {
      .size = 2,
      .modules = {kApp, kMpi, kOurs},
      .samples = {sample(0x10000, 1, 6000), sample(0x20000, 1, 500), sample(0x30000, 1, 60),
                  sample_in(raw::kOfCollector, 1, 40), sample(0x99999, 1, 50), sample_in(1, 1, 2000)},
      .names = {{1, "MPI_Barrier"}}};
  RankLife other = life;
  other.rank = 1;
  other.cpu = 12 * kSecond;
  f.write("a.raw", finished_file(life));
  f.write("b.raw", finished_file(other));
  const core::Run run = merged_run(f);
  // Rank 0: 10.25 s in all, of which 0.06 in our library, 0.04 in what it calls and 0.125 in our thread are left out;
  // 0.5 before, 0.25 after; 6 in the program; 2 + 0.5 in MPI; the rest, 0.775 s, has the samples without a module in
  // it. Rank 1 has 2 s more that no sample accounts for.
  expect_over_ranks(run.times.total_s, 22.05, 11.025, 10.025, 12.025, 0, 1);
  expect_over_ranks(run.times.others_s, 1.5, 0.75, 0.75, 0.75, 0, 0);
  expect_over_ranks(run.times.computation_s, 12, 6, 6, 6, 0, 0);
  expect_over_ranks(run.times.communication_s, 5, 2.5, 2.5, 2.5, 0, 0);
  expect_over_ranks(run.times.unattributed_s, 3.55, 1.775, 0.775, 2.775, 0, 1);
  expect_over_ranks(run.times.wall_s, 24, 12, 12, 12, 0, 0);
  expect_over_ranks(run.times.collector_s, 0.45, 0.225, 0.225, 0.225, 0, 0);
  EXPECT_NEAR(operation(run, "MPI_Barrier")->time_s.mean, 2, 1e-9);
  EXPECT_NEAR(operation(run, "[MPI other]")->time_s.mean, 0.5, 1e-9);
  EXPECT_EQ(operation(run, "[MPI other]")->calls.sum, 0);
  EXPECT_EQ(run.rank_total_s, (std::vector<double>{10.025, 12.025}));
}

TEST(MergeRun, TimesAddUpInTheWallClock) {
  RunFolder f(1);
  // Main thread: 4 s in MPI_Recv, 1 s of it on the CPU; 5 s in the program. Another thread: 3 s in the program, 1 s in
  // MPI_Recv. CPU of the main thread in the window, by the clock points: 10 - 0.5 = 9.5 s would leave no time off the
  // CPU, so take 7 - 0.5 = 6.5 s: 10 - 4 - (6.5 - 1) = 0.5 s off the CPU; 5.5 - 5 = 0.5 s unattributed.
  f.write("a.raw",
          finished_file({.cpu = 7 * kSecond,
                         .modules = {kApp},
                         .samples = {sample(0x10000, 1, 5000), sample(0x10000, 1, 3000, raw::kOtherThread),
                                     sample_in(1, 1, 1000), sample_in(1, 1, 700, raw::kOtherThread)},
                         .names = {{1, "MPI_Recv"}},
                         .operations = {{{1, raw::kMainThread, 1, 0}, {1, 0, 4 * kSecond, 4 * kSecond, 4 * kSecond}},
                                        {{1, raw::kOtherThread, 1, 0}, {1, 0, kSecond, kSecond, kSecond}}}}));
  const core::Run run = merged_run(f, core::Clock::kWall);
  EXPECT_NEAR(run.times.total_s.mean, 12, 1e-9);
  EXPECT_NEAR(run.times.others_s.mean, 2, 1e-9);
  EXPECT_NEAR(run.times.communication_s.mean, 4, 1e-9);
  EXPECT_NEAR(run.times.computation_s.mean, 5.5, 1e-9);
  EXPECT_NEAR(run.times.unattributed_s.mean, 0.5, 1e-9);
  const core::Kernel* off = kernel(run, "[off-CPU]");
  ASSERT_NE(off, nullptr);
  EXPECT_EQ(off->kind, core::KernelKind::kSystem);
  EXPECT_NEAR(off->metrics.at("time_s").mean, 0.5, 1e-9);
  EXPECT_EQ(off->metrics.at("cpu_s").mean, 0);
  // A kernel's time is the main thread's; its CPU time is that of all threads.
  EXPECT_NEAR(kernel(run, kFirstPage)->metrics.at("time_s").mean, 5, 1e-9);
  EXPECT_NEAR(kernel(run, kFirstPage)->metrics.at("cpu_s").mean, 8, 1e-9);
  EXPECT_NEAR(operation(run, "MPI_Recv")->time_s.mean, 4, 1e-9);
  EXPECT_NEAR(operation(run, "MPI_Recv")->wall_s.mean, 5, 1e-9);
  EXPECT_NEAR(operation(run, "MPI_Recv")->cpu_s.mean, 1.7, 1e-9);
}

// No call of MPI, so the window is from 0 to 12 s with 10 s of it between MPI_Init and MPI_Finalize; off the CPU there:
// 10 s less the main thread's CPU time.
TEST(MergeRun, WarnsWhenTheMainThreadWasOffTheCpu) {
  const auto warnings = [](uint64_t cpu, core::Clock clock) {
    RunFolder f(1);
    f.write("a.raw", finished_file({.cpu = cpu + kSecond / 2}));
    return merged_run(f, clock).warnings;
  };
  const auto tells = [](const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.find(part) != t.npos; });
  };
  // 10 - 7 = 3 s of 12 s.
  EXPECT_TRUE(tells(warnings(7 * kSecond, core::Clock::kWall), "was off the CPU for 25 % of the time outside MPI"));
  EXPECT_FALSE(tells(warnings(7 * kSecond, core::Clock::kCpu), "off the CPU"));
  // 5 % of 12 s are 0.6 s.
  EXPECT_FALSE(tells(warnings(9500 * kMillisecond, core::Clock::kWall), "off the CPU"));
  EXPECT_TRUE(tells(warnings(9300 * kMillisecond, core::Clock::kWall), "off the CPU for 6 %"));
}

TEST(MergeRun, MpisOwnThreadsAreCommunication) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.modules = {kApp}, .samples = {sample(0x10000, 1, 40, raw::kMpiInternalThread)}}));
  const core::Run run = merged_run(f);
  EXPECT_TRUE(run.kernels.empty());
  EXPECT_NEAR(operation(run, "[MPI other]")->cpu_s.sum, 0.04, 1e-9);
}

TEST(MergeRun, TheSameAddressInTwoEpochsIsTwoModules) {
  RunFolder f(1);
  RankIdentity i;
  i.size = 1;
  i.sampler = "perf";
  RawFileBuilder b;
  b.identity(i);
  b.clock({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0}).clock({raw::Phase::kInitEnd, 1, 1, 0, 0, 0, 0});
  b.modules(0, {{0x10000, 0x10000, 0x20000, "/nonexistent/liba.so", ""}});
  b.samples({sample(0x10010, 1, 4)});
  b.modules(1, {{0x10000, 0x10000, 0x20000, "/nonexistent/libb.so", ""}});
  b.samples({sample(0x10010, 2, 8, raw::kMainThread, 1), sample(0x10010, 1, 1, raw::kMainThread, 7)});
  b.clock({raw::Phase::kExit, 9, 9, 0, 9, 9, 0});
  f.write("a.raw", b.footer(4).bytes());
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.kernels.size(), 2u);  // there is no epoch 7
  EXPECT_NEAR(kernel(run, "liba.so+0x0-0xfff")->metrics.at("time_s").sum, 0.004, 1e-12);
  EXPECT_NEAR(kernel(run, "libb.so+0x0-0xfff")->metrics.at("time_s").sum, 0.008, 1e-12);
}

TEST(MergeRun, TimeInKernelModeBelongsToTheFunctionOrIsNamed) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.modules = {kApp},
                                  .samples = {{{0, kOutside, 0, 0x10000}, {2, 8 * kMillisecond, 4 * kMillisecond, {}}},
                                              {{0, kOutside, 0, 0}, {1, 3 * kMillisecond, 3 * kMillisecond, {}}}}}));
  const core::Run run = merged_run(f);
  EXPECT_NEAR(kernel(run, kFirstPage)->metrics.at("system_s").sum, 0.004, 1e-12);
  ASSERT_NE(kernel(run, "[kernel mode]"), nullptr);
  EXPECT_EQ(kernel(run, "[kernel mode]")->kind, core::KernelKind::kSystem);
  EXPECT_NEAR(kernel(run, "[kernel mode]")->metrics.at("time_s").sum, 0.003, 1e-12);
  EXPECT_NEAR(run.times.computation_s.sum, 0.011, 1e-12);
}

// A raw file of a rank that counted `events` and has these samples.
std::string counted_file(uint32_t rank, uint32_t size, const std::vector<std::string>& events,
                         const std::vector<SampleRow>& samples, const Counting& counting = {},
                         const std::vector<EventOverflows>& overflows = {}) {
  RankIdentity i;
  i.rank = rank;
  i.size = size;
  i.sampler = "perf";
  i.counters = events;
  RawFileBuilder b(rank);
  b.identity(i).clock({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0}).clock({raw::Phase::kInitEnd, 1, 1, 0, 0, 0, 0});
  b.modules(0, {kApp}).operation_names({{4, "MPI_Send"}}).samples(samples).counting(counting);
  if (!overflows.empty()) b.overflows(overflows);
  return b.footer(0).bytes();
}

bool warns(const core::Run& run, const std::string& text) {
  return std::any_of(run.warnings.begin(), run.warnings.end(),
                     [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

TEST(MergeRun, EventsBecomeMetricsOfKernelsAndOperations) {
  RunFolder f(2);
  const std::vector<std::string> events = {"PAPI_TOT_INS", "sde:::heat::CELLS"};
  // Two threads in the first page: 100 + 11 instructions. Inside MPI_Send 30.
  f.write("a.raw", counted_file(0, 2, events,
                                {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {100, 5}}},
                                 {{1, kOutside, 0, 0x10004}, {0, 0, 0, {11, 0}}},
                                 {{0, 4, 0, 0}, {0, 0, 0, {30, 1}}}}));
  f.write("b.raw", counted_file(1, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {9, 0}}}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counters, "papi");
  EXPECT_FALSE(run.counters_reason.empty());
  EXPECT_TRUE(run.counted_ranks.empty());
  ASSERT_EQ(run.counter_events.size(), 2u);
  EXPECT_EQ(run.counter_events[0].event, "PAPI_TOT_INS");
  EXPECT_EQ(run.counter_events[0].metric, "instructions");
  expect_over_ranks(kernel(run, kFirstPage)->metrics.at("instructions"), 120, 60, 9, 111, 1, 0);
  expect_over_ranks(kernel(run, kFirstPage)->metrics.at("sde:::heat::CELLS"), 5, 2.5, 0, 5, 1, 0);
  ASSERT_NE(operation(run, "MPI_Send"), nullptr);
  expect_over_ranks(operation(run, "MPI_Send")->metrics.at("instructions"), 30, 15, 0, 30, 1, 0);
}

// Per rank and then over ranks: rank 0 has 100 - 20 = 80 hits, rank 1 has 50 - 40 = 10. The difference of the smallest
// reads and the smallest refills, 50 - 20, would be no rank's.
TEST(MergeRun, DerivedMetricsAreMadeRankByRank) {
  RunFolder f(2);
  const std::vector<std::string> events = {"L1D_CACHE_RD", "L1D_CACHE_REFILL_RD"};
  f.write("a.raw", counted_file(0, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {100, 20}}}}));
  f.write("b.raw", counted_file(1, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {50, 40}}}}));
  const core::Run run = merged_run(f);
  expect_over_ranks(kernel(run, kFirstPage)->metrics.at("l1_hits"), 90, 45, 10, 80, 1, 0);
}

// Rank 0: 9 overflows of cycles every 1000 for 10,000 that were counted, 6 of them in the first page, so that one
// stands for 10,000 / 9; 20 of instructions every 500 for 10,500, 8 of them in the page, so that one stands for 525.
// Rank 1: cycles never overflowed; 10 overflows of instructions every 500 for 5000, all in the page.
TEST(MergeRun, WhereEachEventOverflowsCountsAddUpToWhatWasCountedAndHaveErrors) {
  RunFolder f(2);
  const std::vector<std::string> events = {"PAPI_TOT_CYC", "PAPI_TOT_INS"};
  f.write("a.raw",
          counted_file(0, 2, events,
                       {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {6000, 4000}}}, {{0, 4, 0, 0}, {0, 0, 0, {3000, 6000}}}},
                       {}, {{1000, 10000}, {500, 10500}}));
  f.write("b.raw", counted_file(1, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {0, 5000}}}}, {},
                                {{1000, 900}, {500, 5000}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counter_method, "events");
  const core::Kernel& page = *kernel(run, kFirstPage);
  expect_over_ranks(page.metrics.at("instructions"), 4200 + 5000, 4600, 4200, 5000, 0, 1);
  EXPECT_NEAR(page.metrics.at("cycles").sum, 6 * 10000 / 9.0, 1e-9);
  EXPECT_NEAR(operation(run, "MPI_Send")->metrics.at("cycles").sum, 3 * 10000 / 9.0, 1e-9);
  EXPECT_NEAR(operation(run, "MPI_Send")->metrics.at("instructions").sum, 6300, 1e-9);
  EXPECT_NEAR(page.count_errors.at("instructions"), std::sqrt(8 * 525.0 * 525 + 10 * 500.0 * 500), 1e-6);
  EXPECT_NEAR(page.count_errors.at("cycles"), std::sqrt(6.0) * 10000 / 9, 1e-6);
  ASSERT_EQ(run.sampled_events.size(), 2u);
  EXPECT_EQ(run.sampled_events[0].event, "PAPI_TOT_CYC");
  EXPECT_EQ(run.sampled_events[0].period, 1000);
  EXPECT_EQ(run.sampled_events[0].overflows, 9);
  EXPECT_EQ(run.sampled_events[0].counted, 10900);
  EXPECT_EQ(run.sampled_events[1].overflows, 30);
  EXPECT_EQ(run.sampled_events[1].counted, 15500);
  EXPECT_FALSE(warns(run, "overflow"));
}

// Half of the overflows of cycles did not come; 700 instructions are less than a period.
TEST(MergeRun, OverflowsThatAreMissingAreTold) {
  RunFolder f(1);
  f.write("a.raw",
          counted_file(0, 1, {"PAPI_TOT_CYC", "PAPI_TOT_INS"}, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {50000, 0}}}}, {},
                       {{1000, 100000}, {1000, 700}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(kernel(run, kFirstPage)->metrics.at("cycles").sum, 100000);
  EXPECT_TRUE(warns(run, "only 50 of 100 expected overflows of PAPI_TOT_CYC"));
  EXPECT_TRUE(warns(run, "PAPI_TOT_INS never overflowed, for it counted only 700"));
  // Not seen is not zero: up to all of them may be the function's.
  EXPECT_EQ(kernel(run, kFirstPage)->metrics.at("instructions").sum, 0);
  EXPECT_EQ(kernel(run, kFirstPage)->count_errors.at("instructions"), 1000);
}

TEST(MergeRun, CountsThatOverflowsOfCyclesChargeHaveNoErrorsOfTheirOwn) {
  RunFolder f(2);
  const std::vector<std::string> events = {"PAPI_TOT_CYC"};
  f.write("a.raw", counted_file(0, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {900}}}}));
  // The other method: its counts are no sum with these.
  f.write("b.raw", counted_file(1, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {1000}}}}, {}, {{1000, 1500}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counter_method, "cycles");
  EXPECT_TRUE(kernel(run, kFirstPage)->count_errors.empty());
  EXPECT_EQ(run.counted_ranks, std::vector<int>{0});
  EXPECT_TRUE(warns(run, "counts of rank 1 are left out"));
}

TEST(MergeRun, RanksThatCouldNotCountAreLeftOutAndTold) {
  RunFolder f(3);
  const std::vector<std::string> events = {"PAPI_TOT_INS"};
  f.write("a.raw", counted_file(0, 3, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {10}}}}));
  f.write("b.raw", counted_file(1, 3, {}, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {}}}}, {0, 1, "no counter left"}));
  f.write("c.raw", counted_file(2, 3, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {30}}}}, {5, 0, ""}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counters, "papi");
  EXPECT_EQ(run.counted_ranks, (std::vector<int>{0, 2}));
  // Mean over the two, and three times that for all.
  expect_over_ranks(kernel(run, kFirstPage)->metrics.at("instructions"), 60, 20, 10, 30, 0, 2);
  EXPECT_TRUE(warns(run, "rank 1: no counter left"));
  EXPECT_TRUE(warns(run, "1 threads were not counted"));
  EXPECT_TRUE(warns(run, "5 overflows"));
}

TEST(MergeRun, EventsThatNoRankCountedAreNotPassedOverInSilence) {
  RunFolder f(1);
  f.write("a.raw", counted_file(0, 1, {}, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {}}}}, {0, 0, "no libpapi"}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counters, "clock");
  EXPECT_NE(run.counters_reason.find("none could be counted"), std::string::npos);
  EXPECT_TRUE(warns(run, "no libpapi"));
  EXPECT_EQ(kernel(run, kFirstPage)->metrics.count("instructions"), 0u);
}

// Class (MPI_Recv, 2 ranks, bin 4): the shortest call anywhere takes 10 ns, on rank 1.
//   rank 0: 10 calls in 1000 ns: blocked 1000 - 100 = 900    rank 1: 20 calls in 250 ns: blocked 250 - 200 = 50
TEST(MergeRun, BlockedTimeIsWhatExceedsTheShortestCallOnAnyRank) {
  RunFolder f(2);
  f.write(
      "a.raw",
      finished_file(
          {.rank = 0, .size = 2, .names = {{1, "MPI_Recv"}}, .operations = {{{1, 0, 2, 4}, {10, 80, 1000, 40, 400}}}}));
  // The number of an operation is valid in its own file only. Two threads make one class.
  f.write("b.raw", finished_file({.rank = 1,
                                  .size = 2,
                                  .names = {{5, "MPI_Recv"}},
                                  .operations = {{{5, 0, 2, 4}, {15, 120, 200, 10, 50}},
                                                 {{5, 1, 2, 4}, {5, 40, 50, 10, 10}},
                                                 {{5, 0, 2, 0}, {1, 0, 7, 7, 7}}}}));
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.operations.size(), 1u);
  const core::MpiOperation& o = run.operations[0];
  ASSERT_EQ(o.classes.size(), 2u);
  EXPECT_EQ(o.classes[0].bytes_from, 0);
  EXPECT_EQ(o.classes[0].bytes_to, 0);
  EXPECT_NEAR(o.classes[0].blocked_s.sum, 0, 1e-15);  // a single call is its own shortest
  const core::MpiClass& c = o.classes[1];
  EXPECT_EQ(c.communicator_size, 2);
  EXPECT_EQ(c.bytes_from, 8);  // bin 4: 2^3 to 2^4 - 1
  EXPECT_EQ(c.bytes_to, 15);
  EXPECT_EQ(c.calls.sum, 30);
  EXPECT_EQ(c.bytes.sum, 240);
  EXPECT_NEAR(c.shortest_call_s, 10e-9, 1e-15);
  EXPECT_NEAR(c.longest_call_s, 400e-9, 1e-15);
  EXPECT_NEAR(c.blocked_s.max, 900e-9, 1e-15);
  EXPECT_EQ(c.blocked_s.rank_of_max, 0);
  EXPECT_NEAR(c.blocked_s.min, 50e-9, 1e-15);
  EXPECT_NEAR(o.blocked_s.sum, 950e-9, 1e-15);
  EXPECT_EQ(o.calls.sum, 31);
  EXPECT_NEAR(o.wall_s.sum, 1257e-9, 1e-15);
}

// Sites 1 and 2 lie in a module that cannot be read, on different pages: 5 + 2 calls in one, 3 in the other, on rank 1
// under other numbers. The shortest call of the class takes 10 ns, at site 2:
//   rank 0, site 1: 7 calls in 770 ns: blocked 770 - 70 = 700    site 2: 3 calls in 30 ns: blocked 0
TEST(MergeRun, SitesAddUpToTheOperation) {
  const std::vector<ModuleSpan> modules = {{0, 0x1000, 0x9000, "/nowhere/app", ""}};
  RunFolder f(2);
  f.write("a.raw", finished_file({.rank = 0,
                                  .size = 2,
                                  .modules = modules,
                                  .names = {{1, "MPI_Recv"}},
                                  .sites = {{1, 0, {0x1010}}, {2, 0, {0x3010}}, {3, 0, {0x1010, 0x3010}}},
                                  .operations = {{{raw::operation_at(1, 1), 0, 2, 4}, {5, 40, 550, 110, 110}},
                                                 {{raw::operation_at(1, 2), 0, 2, 4}, {3, 24, 30, 10, 10}},
                                                 {{raw::operation_at(1, 3), 0, 2, 4}, {2, 16, 220, 110, 110}}}}));
  f.write("b.raw", finished_file({.rank = 1,
                                  .size = 2,
                                  .modules = modules,
                                  .names = {{1, "MPI_Recv"}},
                                  .sites = {{1, 0, {0x3010}}},
                                  .operations = {{{raw::operation_at(1, 1), 0, 2, 4}, {4, 32, 400, 100, 100}},
                                                 {{raw::operation_at(1, 9), 0, 2, 0}, {1, 0, 7, 7, 7}}}}));
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.operations.size(), 1u);
  const core::MpiOperation& o = run.operations[0];
  EXPECT_EQ(o.calls.sum, 15);
  ASSERT_EQ(o.sites.size(), 3u);
  const auto at = [&](const std::string& function) -> const core::MpiSite& {
    return *std::find_if(o.sites.begin(), o.sites.end(), [&](const auto& s) { return s.function == function; });
  };
  const core::MpiSite& first = at("app+0x1000-0x1fff");
  EXPECT_EQ(first.calls.sum, 7);
  EXPECT_EQ(first.bytes.sum, 56);
  EXPECT_EQ(first.address, 0x1010u);
  EXPECT_NEAR(first.blocked_s.sum, 700e-9, 1e-15);
  const core::MpiSite& second = at("app+0x3000-0x3fff");
  EXPECT_EQ(second.calls.sum, 7);
  EXPECT_EQ(second.calls.max, 4);
  EXPECT_EQ(second.calls.rank_of_max, 1);
  ASSERT_EQ(second.classes.size(), 1u);
  EXPECT_EQ(second.classes[0].calls.sum, 7);
  const core::MpiSite& unknown = at("");  // site 9 is not in the file
  EXPECT_EQ(unknown.calls.sum, 1);
  EXPECT_NEAR(first.wall_s.sum + second.wall_s.sum + unknown.wall_s.sum, o.wall_s.sum, 1e-15);
  EXPECT_NEAR(first.blocked_s.sum + second.blocked_s.sum + unknown.blocked_s.sum, o.blocked_s.sum, 1e-15);
}

// Polls are timed now and then. At site 1 one of 5 was, at site 2 none.
TEST(MergeRun, PlacesWhosePollsWereNotTimedHaveNoShortestCall) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.rank = 0,
                                  .size = 1,
                                  .modules = {{0, 0x1000, 0x9000, "/nowhere/app", ""}},
                                  .names = {{1, "MPI_Test"}},
                                  .sites = {{1, 0, {0x1010}}, {2, 0, {0x3010}}},
                                  .operations = {{{raw::operation_at(1, 1), 0, 0, 0}, {5, 0, 50, 10, 10}},
                                                 {{raw::operation_at(1, 2), 0, 0, 0}, {1, 0, 0, 0, 0}}}}));
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.operations.size(), 1u);
  EXPECT_EQ(run.operations[0].calls.sum, 6);
  ASSERT_EQ(run.operations[0].sites.size(), 2u);
  for (const core::MpiSite& site : run.operations[0].sites) {
    for (const core::MpiClass& c : site.classes) EXPECT_LE(c.shortest_call_s, c.longest_call_s);
  }
}

TEST(MergeRun, TrafficGoesFromSenderToReceiver) {
  RunFolder f(2);
  f.write("a.raw", finished_file({.rank = 0,
                                  .size = 2,
                                  .peers = {{{1, raw::kSent}, {3, 30}},
                                            {{1, raw::kPut}, {1, 5}},
                                            {{raw::kUnknownPeer, raw::kSent}, {9, 9}}}}));
  f.write("b.raw",
          finished_file({.rank = 1, .size = 2, .peers = {{{0, raw::kSent}, {2, 20}}, {{0, raw::kGot}, {4, 400}}}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.ranks_per_block, 1);
  ASSERT_EQ(run.peers.size(), 2u);
  EXPECT_EQ(run.peers[0].from, 0);
  EXPECT_EQ(run.peers[0].to, 1);
  EXPECT_EQ(run.peers[0].messages, 8);  // 3 sent, 1 put, 4 that rank 1 got
  EXPECT_EQ(run.peers[0].bytes, 435);
  EXPECT_EQ(run.peers[1].from, 1);
  EXPECT_EQ(run.peers[1].bytes, 20);
}

TEST(MergeRun, ManyRanksArePutIntoBlocks) {
  constexpr uint32_t kRanks = 600;  // 600 / 256 rounds up to 3 a block: 200 blocks
  RunFolder f(kRanks);
  RawFileBuilder b;
  for (uint32_t r = 0; r < kRanks; ++r) {
    RankIdentity i;
    i.rank = r;
    i.size = kRanks;
    i.sampler = "perf";
    b.rank(r).identity(i).clock({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0}).clock({raw::Phase::kInitEnd, 1, 1, 0, 0, 0, 0});
    b.clock({raw::Phase::kExit, 9, 9, 0, r * kSecond, 0, 0});
    if (r % 3 == 0) b.peers({{{kRanks - 1, raw::kSent}, {1, 2}}});
  }
  f.write("node.raw", b.footer(0).bytes());
  const core::Run run = merged_run(f);
  EXPECT_TRUE(run.complete) << run.reason;
  EXPECT_EQ(run.ranks_per_block, 3);
  ASSERT_EQ(run.rank_total_s.size(), 200u);
  EXPECT_NEAR(run.rank_total_s[1], 4, 1e-9);  // mean of 3, 4 and 5 s
  ASSERT_EQ(run.peers.size(), 200u);
  EXPECT_EQ(run.peers[199].to, 199);
  EXPECT_NEAR(run.times.total_s.sum, 600 * 599 / 2, 1e-6);
}

TEST(MergeRun, SaysWhatTheRunWas) {
  RunFolder f(2);
  const std::vector<SampleRow> all_in_mpi = {sample_in(1, 2250, 9000)};
  f.write("a.raw",
          finished_file({.rank = 0, .size = 2, .host = "node2", .samples = all_in_mpi, .losses = {0, 0, 0, 0, 3}}));
  f.write("b.raw", finished_file({.rank = 1, .size = 2, .host = "node1", .samples = all_in_mpi}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.np, 2);
  EXPECT_EQ(run.id, "np0002.r0");
  EXPECT_EQ(run.clock, core::Clock::kCpu);
  EXPECT_EQ(run.clock_reason, "because");
  EXPECT_EQ(run.sampler, "perf");
  EXPECT_NEAR(run.sampling_rate_hz, 250, 1e-9);
  EXPECT_EQ(run.mpi_library, "Open MPI v4.1.4");
  EXPECT_EQ(run.hosts, (std::vector<std::string>{"node1", "node2"}));
  EXPECT_EQ(run.threads_max, 3);
  EXPECT_TRUE(run.warnings.empty());
}

}  // namespace
}  // namespace scalediag::merge
