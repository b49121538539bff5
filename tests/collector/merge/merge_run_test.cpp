// The sums over ranks: times, kernels, and what the run was.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/collector/merge/merged_run.h"

namespace scalediag::merge {
namespace {

TEST(MergeRun, KernelsAreSummedOverRanks) {
  RunFolder f(3);
  f.write(
      "a.raw",
      finished_file(
          {.rank = 0, .size = 3, .modules = {kAppModule}, .samples = {sample(0x10010, 2, 8), sample(0x10020, 1, 4)}}));
  // The same program at another address: the kernel is the same, and all of its code without symbols is one.
  const ModuleSpan elsewhere = {0x50000, 0x50000, 0x60000, "/nonexistent/app", ""};
  f.write("b.raw", finished_file({.rank = 1,
                                  .size = 3,
                                  .modules = {elsewhere, {0x60000, 0x60000, 0x70000, "/nonexistent/libb.so", ""}},
                                  .samples = {sample(0x50010, 4, 17), sample(0x51000, 1, 3), sample(0x61000, 1, 3)}}));
  f.write("c.raw", finished_file({.rank = 2, .size = 3, .modules = {kAppModule}}));
  const core::Run run = merged_run(f);
  EXPECT_TRUE(run.complete) << run.reason;
  ASSERT_EQ(run.kernels.size(), 2u);
  EXPECT_EQ(run.kernels[0].name, kProgram);  // by falling time
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
            finished_file(
                {.rank = r, .size = 3, .modules = {kAppModule}, .samples = {sample(0x10010, r + 1, 4 * (r + 1))}}));
  }
  SymbolCache symbols;
  const auto kernels = kernels_of_ranks(f.folder(), f.entry(), {2, 0, 7}, {core::Clock::kCpu, "", false}, symbols);
  ASSERT_TRUE(kernels.ok());
  ASSERT_EQ(kernels.value().size(), 3u);
  ASSERT_EQ(kernels.value()[0].size(), 1u);
  EXPECT_EQ(kernels.value()[0][0].name, kProgram);
  EXPECT_EQ(kernels.value()[0][0].samples, 3u);  // rank 2: 3 samples, 12 ms
  EXPECT_NEAR(kernels.value()[0][0].metrics.at("time_s").sum, 0.012, 1e-9);
  EXPECT_NEAR(kernels.value()[1][0].metrics.at("time_s").sum, 0.004, 1e-9);
  EXPECT_TRUE(kernels.value()[2].empty());  // there is no rank 7
}

TEST(MergeRun, TimesAddUpInTheCpuClock) {
  RunFolder f(2);
  const RankLife life = {
      .size = 2,
      .modules = {kAppModule, kMpiModule, kOurModule},
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
                         .modules = {kAppModule},
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
  EXPECT_NEAR(kernel(run, kProgram)->metrics.at("time_s").mean, 5, 1e-9);
  EXPECT_NEAR(kernel(run, kProgram)->metrics.at("cpu_s").mean, 8, 1e-9);
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
  f.write("a.raw",
          finished_file({.modules = {kAppModule}, .samples = {sample(0x10000, 1, 40, raw::kMpiInternalThread)}}));
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
  EXPECT_NEAR(kernel(run, "liba.so (no symbols)")->metrics.at("time_s").sum, 0.004, 1e-12);
  EXPECT_NEAR(kernel(run, "libb.so (no symbols)")->metrics.at("time_s").sum, 0.008, 1e-12);
}

// Three samples in code without symbols: one was called by outer(), one by what outer() had called in the same module,
// and the stack of one is not known.
TEST(MergeRun, CodeThatSaysNothingBelongsToTheCallerWithAName) {
  const std::string library = std::string(SYMBOLS_BINARY_DIR) + "/libsymbols_c.so";
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(loaded, nullptr);
  void* outer = dlsym(loaded, "outer");
  Dl_info info;
  ASSERT_NE(dladdr(outer, &info), 0);
  const auto base = reinterpret_cast<uint64_t>(info.dli_fbase), in_outer = reinterpret_cast<uint64_t>(outer) + 1;
  constexpr uint32_t kFirst = raw::kStackRoots;
  RunFolder f(1);
  RawFileBuilder b = unfinished_file({.modules = {kAppModule, {base, base, base + 0x10000, library, ""}}});
  b.callers({{kFirst, raw::kWholeStack, 0, in_outer}, {kFirst + 1, kFirst, 0, 0x11000}});
  std::vector<SampleRow> rows = {sample(0x10000, 2, 8), sample(0x12000, 1, 4), sample(0x13000, 1, 5)};
  rows[0].key.callers = kFirst;
  rows[1].key.callers = kFirst + 1;
  rows[2].key.callers = raw::kWholeStack;
  b.path_samples(rows);
  const uint64_t cpu = 10 * kSecond;
  b.clock({raw::Phase::kExit, 12 * kSecond, 12 * kSecond, 0, cpu, cpu, 0});
  f.write("a.raw", b.footer(4).bytes());
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.kernels.size(), 2u);
  EXPECT_NEAR(kernel(run, "outer")->metrics.at("time_s").sum, 0.012, 1e-12);
  EXPECT_NEAR(kernel(run, kProgram)->metrics.at("time_s").sum, 0.005, 1e-12);
}

// The stripped library of the tests, which no package brought, has 9 s of 10.
TEST(MergeRun, SaysHowFunctionsWithoutNamesGetThem) {
  RunFolder f(1);
  const std::string stripped = std::string(SYMBOLS_BINARY_DIR) + "/libsymbols_c_stripped.so";
  f.write("a.raw", finished_file({.modules = {{0, 0, 0x10000, stripped, ""}}, .samples = {sample(0, 900, 9000)}}));
  EXPECT_EQ(
      merged_run(f).warnings,
      (std::vector<std::string>{"the functions of libsymbols_c_stripped.so, 89 % of the time, have no names (build "
                                "it with -g and do not strip it)"}));
}

TEST(MergeRun, TimeInKernelModeBelongsToTheFunctionOrIsNamed) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.modules = {kAppModule},
                                  .samples = {{{0, kOutside, 0, 0x10000}, {2, 8 * kMillisecond, 4 * kMillisecond, {}}},
                                              {{0, kOutside, 0, 0}, {1, 3 * kMillisecond, 3 * kMillisecond, {}}}}}));
  const core::Run run = merged_run(f);
  EXPECT_NEAR(kernel(run, kProgram)->metrics.at("system_s").sum, 0.004, 1e-12);
  ASSERT_NE(kernel(run, "[kernel mode]"), nullptr);
  EXPECT_EQ(kernel(run, "[kernel mode]")->kind, core::KernelKind::kSystem);
  EXPECT_NEAR(kernel(run, "[kernel mode]")->metrics.at("time_s").sum, 0.003, 1e-12);
  EXPECT_NEAR(run.times.computation_s.sum, 0.011, 1e-12);
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
