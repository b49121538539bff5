#include "collector/counters/callgrind/callgrind_counts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/profile/kernel_id.h"
#include "tests/collector/counters/callgrind/callgrind_example.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::counters {
namespace {

std::optional<core::KernelId> by_function(const std::string& object, const std::string& function,
                                          std::optional<uint64_t>) {
  if (object == "/lib/libm.so.6") return std::nullopt;  // as MPI's own code
  return core::KernelId{function, object, "", 0};
}

void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ReadCallgrindCounts, TurnsEventsIntoMetrics) {
  const core::TemporaryFolder folder;
  write(folder.file("rank000000.4711.callgrind.1"), kCallgrindExample);
  const auto counts = read_callgrind_counts(folder.path(), {{0}, {1}}, by_function);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts.value().kernels.size(), 2u);  // sin was left out
  const RankCounts& sweep = counts.value().kernels.at({"sweep", "/opt/app/solver", "", 0})[0];
  // Ir 150, Dr 40, Dw 20; D1mr + D1mw = 15 of 60 accesses miss the first level, DLmr + DLmw = 6 of those the last.
  EXPECT_EQ(sweep, (RankCounts{{"instructions", 150},
                               {"loads", 40},
                               {"stores", 20},
                               {"l1_hits", 45},
                               {"llc_hits", 9},
                               {"memory_accesses", 6},
                               {"l1i_misses", 1}}));
}

TEST(ReadCallgrindCounts, TakesTheFileThatTheRankItselfWrote) {
  const core::TemporaryFolder folder;
  // Counts after MPI_Finalize, and those of a child process.
  const std::string at_exit = replaced(kCallgrindExample, "Client Request: scalediag", "Program termination");
  write(folder.file("rank000000.100.callgrind"), at_exit);
  write(folder.file("rank000000.4711.callgrind"), at_exit);
  write(folder.file("rank000000.4711.callgrind.1"), kCallgrindExample);
  write(folder.file("rank000000.50.valgrind.log"), "desc: Trigger: Client Request: scalediag\n");
  const auto counts = read_callgrind_counts(folder.path(), {{0}, {1}}, by_function);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts.value().kernels.at({"main", "/opt/app/solver", "", 0})[0].at("instructions"), 8);
}

// The example as the part before a loop of 10 rounds, and as each of two rounds that stand for 5: 1 + 10 times in all.
// Equal rounds leave as much open as one round has, 150 of sweep. Of main's 8 instructions the second round has 2 more:
// the mean of both has an error of 1, of which 8 rounds are less than the 9 of one round. What the program does at its
// end is no part. Rounds are those of both ranks.
TEST(ReadCallgrindCounts, AddsUpPartsAsOftenAsTheyOccur) {
  const core::TemporaryFolder folder;
  const auto part = [](int number) {
    return replaced(kCallgrindExample, "Request: scalediag", "Request: scalediag-part-" + std::to_string(number));
  };
  for (const std::string rank : {"rank000002", "rank000003"}) {
    write(folder.file(rank + ".4711.callgrind"), kCallgrindExample);
    write(folder.file(rank + ".4711.callgrind.1"), part(0));
    write(folder.file(rank + ".4711.callgrind.2"), part(1));
    write(folder.file(rank + ".4711.callgrind.3"),
          replaced(replaced(part(2), "0x1004 1", "0x1004 3"), "totals: 248", "totals: 250"));
    write(
        folder.file(rank + ".parts"),
        "scalediag-parts 1 3 2 10 0\nscalediag-part-0 -1 0 1 0\nscalediag-part-1 0 1 5 0\nscalediag-part-2 0 1 5 0\n");
  }
  const auto counts = read_callgrind_counts(folder.path(), {{2, 3}, {2, 2}}, by_function);
  ASSERT_TRUE(counts) << counts.error().message;
  const core::KernelId main{"main", "/opt/app/solver", "", 0}, sweep{"sweep", "/opt/app/solver", "", 0};
  EXPECT_EQ(counts.value().kernels.at(sweep)[0].at("instructions"), 11 * 150);
  EXPECT_EQ(counts.value().kernels.at(sweep)[0].at("loads"), 11 * 40);
  EXPECT_EQ(counts.value().kernels.at(main)[0].at("instructions"), 8 + 5 * 8 + 5 * 10);
  EXPECT_EQ(counts.value().spreads.at(sweep)[0].at("instructions"), 150);
  EXPECT_EQ(counts.value().spreads.at(main)[0].at("instructions"), 9);
  EXPECT_EQ(counts.value().counted_rounds, 4u);
  EXPECT_EQ(counts.value().rounds, 20u);
}

TEST(ReadCallgrindCounts, NamesTheRankWithoutCounts) {
  const core::TemporaryFolder folder;
  write(folder.file("rank000000.4711.callgrind.1"), kCallgrindExample);
  const auto counts = read_callgrind_counts(folder.path(), {{0, 3}, {1, 3}}, by_function);
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().message, "rank 3 wrote no counts: it was ended before it could");
}

TEST(ReadCallgrindCounts, RefusesOtherEvents) {
  const core::TemporaryFolder folder;
  write(folder.file("rank000000.1.callgrind"),
        "desc: Trigger: Client Request: scalediag\nevents: Ir\nfn=f\n7 5\ntotals: 5\n");
  EXPECT_FALSE(read_callgrind_counts(folder.path(), {{0}, {1}}, by_function));
}

core::Kernel kernel(const std::string& name, double time_s) {
  core::Kernel k;
  k.name = name;
  k.module = "solver";
  k.samples = 10;
  k.metrics["time_s"].mean = time_s;
  return k;
}

RankCounts instructions(double n) {
  RankCounts counts;
  for (const core::CounterEvent& e : simulated_events()) counts[e.metric] = 0;
  counts["instructions"] = n;
  return counts;
}

class AttachTest : public testing::Test {
 protected:
  AttachTest() {
    run_.np = 4;
    run_.kernels = {kernel("sweep", 2), kernel("other", 0.05)};
    counts_.ranks = {{0, 2}, {3, 1}};
    counts_.kernels[{"sweep", "solver", "", 0}] = {instructions(1e6), instructions(2e6)};
  }
  const core::Kernel* find(const std::string& name) const {
    for (const core::Kernel& k : run_.kernels) {
      if (k.name == name) return &k;
    }
    return nullptr;
  }
  void attach() { attach_callgrind_counts({{&counts_, {&run_}}}); }

  core::Run run_;
  CallgrindCounts counts_;
};

// Rank 0, which may be 100 off, stands for three ranks. Two ranks were not counted, of which each may differ from the
// counted ones by their deviation, 1e6 / sqrt(2), divided by sqrt(2).
TEST_F(AttachTest, KeepsHowFarCountsOfPartsMayBeOff) {
  counts_.spreads[{"sweep", "solver", "", 0}] = {instructions(100), {}};
  attach();
  EXPECT_NEAR(find("sweep")->count_errors.at("instructions"), 300 + 2 * 1e6 / 2, 1e-6);
  EXPECT_TRUE(find("other")->count_errors.empty());
}

TEST_F(AttachTest, WeighsEachRankByThoseItStandsFor) {
  attach();
  const core::OverRanks& n = find("sweep")->metrics.at("instructions");
  // Rank 0 stands for three ranks and rank 2 for itself: 3 x 1e6 + 2e6, over 4 ranks.
  EXPECT_EQ(n.sum, 5e6);
  EXPECT_EQ(n.mean, 1.25e6);
  EXPECT_EQ(n.min, 1e6);
  EXPECT_EQ(n.rank_of_min, 0);
  EXPECT_EQ(n.max, 2e6);
  EXPECT_EQ(n.rank_of_max, 2);
  EXPECT_EQ(run_.counters, "simulated");
  EXPECT_EQ(run_.counted_ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(run_.counter_events.size(), simulated_events().size());
}

TEST_F(AttachTest, NamesNoRanksWhereAllWereCounted) {
  counts_.ranks = {{0, 1, 2, 3}, {1, 1, 1, 1}};
  counts_.kernels.begin()->second.assign(4, instructions(1e6));
  attach();
  EXPECT_TRUE(run_.counted_ranks.empty());
}

TEST_F(AttachTest, KeepsKernelsOfEitherSide) {
  counts_.kernels[{"unsampled", "solver", "", 0}] = {instructions(1e6), instructions(1e6)};
  attach();
  ASSERT_NE(find("unsampled"), nullptr);
  EXPECT_EQ(find("unsampled")->metrics.at("time_s").mean, 0);
  EXPECT_EQ(find("unsampled")->samples, 0u);
  // "other" was sampled and not counted: it has no counts rather than counts of 0.
  EXPECT_EQ(find("other")->metrics.count("instructions"), 0u);
}

TEST_F(AttachTest, PutsSmallUnsampledKernelsTogether) {
  // Less than 1e-4 of 3e6 instructions.
  counts_.kernels[{"a", "libc", "", 0}] = {instructions(100), instructions(0)};
  counts_.kernels[{"b", "libc", "", 0}] = {instructions(50), instructions(10)};
  attach();
  EXPECT_EQ(find("a"), nullptr);
  ASSERT_NE(find(kUnsampledFunctions), nullptr);
  EXPECT_EQ(find(kUnsampledFunctions)->metrics.at("instructions").sum, 3 * 150 + 10);
  EXPECT_EQ(find(kUnsampledFunctions)->kind, core::KernelKind::kSystem);
}

TEST_F(AttachTest, WarnsOfTimeWithoutCounts) {
  attach();
  EXPECT_TRUE(run_.warnings.empty());  // "other" has 0.05 of 2.05 s
  run_.kernels.push_back(kernel("dgemm_kernel_SKYLAKEX", 1));
  attach();
  ASSERT_EQ(run_.warnings.size(), 1u);
  // 1.05 of 3.05 s
  EXPECT_NE(run_.warnings[0].find("34 %"), std::string::npos) << run_.warnings[0];
  EXPECT_NE(run_.warnings[0].find("dgemm_kernel_SKYLAKEX"), std::string::npos);
}

TEST_F(AttachTest, AFewSamplesOfOtherCodeAreNoWarning) {
  for (core::Kernel& k : run_.kernels) k.samples = 1;
  run_.kernels.push_back(kernel("pthread_cond_signal", 1));
  run_.kernels.back().samples = 1;
  attach();
  EXPECT_TRUE(run_.warnings.empty()) << run_.warnings[0];  // 34 % of the time: two samples are 34 +- 24 %
}

// Four ranks, of which 0 and 2 were simulated, rank 0 standing for three. A sample stands for 10 ms.
class PartlyCounted : public AttachTest {
 protected:
  // `time_s` of every rank.
  void add(const std::string& name, const std::vector<double>& time_s) {
    core::Kernel k = kernel(name, 0);
    core::OverRanksBuilder over_ranks;
    double sum = 0;
    for (size_t r = 0; r < time_s.size(); ++r) {
      over_ranks.add(static_cast<int>(r), time_s[r]);
      sum += time_s[r];
    }
    k.metrics["time_s"] = over_ranks.finish(4);
    k.samples = static_cast<uint64_t>(100 * sum);
    run_.kernels.push_back(k);
    times_[core::id_of(k)] = {{time_s[0], 100 * time_s[0]}, {time_s[2], 100 * time_s[2]}};
  }
  void attach() { attach_callgrind_counts({{&counts_, {&run_}, {&times_}}}); }

  RankTimesOfKernels times_;
};

TEST_F(PartlyCounted, RanksThatTakeTheSameTimeStandForOneAnother) {
  run_.kernels.clear();
  add("sweep", {10, 10.5, 9.5, 10});  // 3 x 10 + 9.5 = 39.5 s for 40 s
  attach();
  EXPECT_EQ(find("sweep")->metrics.at("instructions").sum, 5e6);
  EXPECT_EQ(find("sweep")->metrics.count("counted_time_s"), 0u);
  EXPECT_TRUE(run_.warnings.empty());
}

// A serial part on rank 0: its 1e6 instructions are all of the program's, and not those of three ranks.
TEST_F(PartlyCounted, ASerialPartIsNotMultiplied) {
  run_.kernels.clear();
  counts_.kernels[{"sweep", "solver", "", 0}] = {instructions(1e6), instructions(0)};
  add("sweep", {10, 0, 0, 0});
  attach();
  const auto& metrics = find("sweep")->metrics;
  EXPECT_DOUBLE_EQ(metrics.at("instructions").sum, 1e6);
  EXPECT_DOUBLE_EQ(metrics.at("instructions").mean, 0.25e6);
  EXPECT_EQ(metrics.at("counted_time_s").sum, 30);  // as if three ranks had taken 10 s
  ASSERT_EQ(run_.warnings.size(), 1u);
  EXPECT_NE(run_.warnings[0].find("--simulate-ranks all"), std::string::npos) << run_.warnings[0];
  EXPECT_EQ(run_.warnings[0].find("AVX2"), std::string::npos) << run_.warnings[0];
}

// 3 s on the counted ranks and 9 s in all: three times the counts of ranks 0 and 2, 1e6 + 2e6.
TEST_F(PartlyCounted, CountsOfUnlikeRanksAreExtendedByTime) {
  run_.kernels.clear();
  add("sweep", {1, 3, 2, 3});  // by ranks: 3 x 1 + 2 = 5 s
  attach();
  EXPECT_DOUBLE_EQ(find("sweep")->metrics.at("instructions").sum, 9e6);
  // Ranks 1 and 3 are unknown; the largest of all ranks is no less than the mean of 2.25e6.
  EXPECT_DOUBLE_EQ(find("sweep")->metrics.at("instructions").max, 2.25e6);
  EXPECT_DOUBLE_EQ(find("sweep")->metrics.at("instructions").min, 1e6);
}

TEST_F(PartlyCounted, WhatRanOnOtherRanksHasNoCountsAndTheReason) {
  run_.kernels.clear();
  counts_.kernels.clear();
  add("sweep", {0, 10, 0, 10});
  attach();
  EXPECT_EQ(find("sweep")->metrics.count("instructions"), 0u);
  EXPECT_EQ(find("sweep")->metrics.at("counted_time_s").sum, 0);
  ASSERT_EQ(run_.warnings.size(), 1u);
  EXPECT_NE(run_.warnings[0].find("100 % of the time"), std::string::npos) << run_.warnings[0];
  EXPECT_NE(run_.warnings[0].find("--simulate-ranks all"), std::string::npos) << run_.warnings[0];
}

// 0.04 s are 4 samples, which chance may have put on two ranks of four.
TEST_F(PartlyCounted, AFewSamplesProveNothing) {
  run_.kernels.clear();
  add("sweep", {0, 0.02, 0, 0.02});
  attach();
  EXPECT_EQ(find("sweep")->metrics.at("instructions").sum, 5e6);
}

}  // namespace
}  // namespace scalediag::counters
