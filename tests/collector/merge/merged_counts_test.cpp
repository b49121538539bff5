// The counts of events, summed over ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/collector/merge/merged_run.h"

namespace scalediag::merge {
namespace {

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
  b.modules(0, {kAppModule}).operation_names({{4, "MPI_Send"}}).samples(samples).counting(counting);
  if (!overflows.empty()) b.overflows(overflows);
  return b.footer(0).bytes();
}

bool warns_of_counts(const core::Run& run, const std::string& text) {
  return std::any_of(run.warnings.begin(), run.warnings.end(),
                     [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

TEST(MergedCounts, EventsBecomeMetricsOfKernelsAndOperations) {
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
  expect_over_ranks(kernel(run, kProgram)->metrics.at("instructions"), 120, 60, 9, 111, 1, 0);
  expect_over_ranks(kernel(run, kProgram)->metrics.at("sde:::heat::CELLS"), 5, 2.5, 0, 5, 1, 0);
  ASSERT_NE(operation(run, "MPI_Send"), nullptr);
  expect_over_ranks(operation(run, "MPI_Send")->metrics.at("instructions"), 30, 15, 0, 30, 1, 0);
}

// Per rank and then over ranks: rank 0 has 100 - 20 = 80 hits, rank 1 has 50 - 40 = 10. The difference of the smallest
// reads and the smallest refills, 50 - 20, would be no rank's.
TEST(MergedCounts, DerivedMetricsAreMadeRankByRank) {
  RunFolder f(2);
  const std::vector<std::string> events = {"L1D_CACHE_RD", "L1D_CACHE_REFILL_RD"};
  f.write("a.raw", counted_file(0, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {100, 20}}}}));
  f.write("b.raw", counted_file(1, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {50, 40}}}}));
  const core::Run run = merged_run(f);
  expect_over_ranks(kernel(run, kProgram)->metrics.at("l1_hits"), 90, 45, 10, 80, 1, 0);
}

// Rank 0: 9 overflows of cycles every 1000 for 10,000 that were counted, 6 of them in the first page, so that one
// stands for 10,000 / 9; 20 of instructions every 500 for 10,500, 8 of them in the page, so that one stands for 525.
// Rank 1: cycles never overflowed; 10 overflows of instructions every 500 for 5000, all in the page.
TEST(MergedCounts, WhereEachEventOverflowsCountsAddUpToWhatWasCountedAndHaveErrors) {
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
  const core::Kernel& page = *kernel(run, kProgram);
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
  EXPECT_FALSE(warns_of_counts(run, "overflow"));
}

// Half of the overflows of cycles did not come; 700 instructions are less than a period.
TEST(MergedCounts, OverflowsThatAreMissingAreTold) {
  RunFolder f(1);
  f.write("a.raw",
          counted_file(0, 1, {"PAPI_TOT_CYC", "PAPI_TOT_INS"}, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {50000, 0}}}}, {},
                       {{1000, 100000}, {1000, 700}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(kernel(run, kProgram)->metrics.at("cycles").sum, 100000);
  EXPECT_TRUE(warns_of_counts(run, "only 50 of 100 expected overflows of PAPI_TOT_CYC"));
  EXPECT_TRUE(warns_of_counts(run, "PAPI_TOT_INS never overflowed, for it counted only 700"));
  // Not seen is not zero: up to all of them may be the function's.
  EXPECT_EQ(kernel(run, kProgram)->metrics.at("instructions").sum, 0);
  EXPECT_EQ(kernel(run, kProgram)->count_errors.at("instructions"), 1000);
}

TEST(MergedCounts, CountsThatOverflowsOfCyclesChargeHaveNoErrorsOfTheirOwn) {
  RunFolder f(2);
  const std::vector<std::string> events = {"PAPI_TOT_CYC"};
  f.write("a.raw", counted_file(0, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {900}}}}));
  // The other method: its counts are no sum with these.
  f.write("b.raw", counted_file(1, 2, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {1000}}}}, {}, {{1000, 1500}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counter_method, "cycles");
  EXPECT_TRUE(kernel(run, kProgram)->count_errors.empty());
  EXPECT_EQ(run.counted_ranks, std::vector<int>{0});
  EXPECT_TRUE(warns_of_counts(run, "counts of rank 1 are left out"));
}

TEST(MergedCounts, RanksThatCouldNotCountAreLeftOutAndTold) {
  RunFolder f(3);
  const std::vector<std::string> events = {"PAPI_TOT_INS"};
  f.write("a.raw", counted_file(0, 3, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {10}}}}));
  f.write("b.raw", counted_file(1, 3, {}, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {}}}}, {0, 1, "no counter left"}));
  f.write("c.raw", counted_file(2, 3, events, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {30}}}}, {5, 0, ""}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counters, "papi");
  EXPECT_EQ(run.counted_ranks, (std::vector<int>{0, 2}));
  // Mean over the two, and three times that for all.
  expect_over_ranks(kernel(run, kProgram)->metrics.at("instructions"), 60, 20, 10, 30, 0, 2);
  EXPECT_TRUE(warns_of_counts(run, "rank 1: no counter left"));
  EXPECT_TRUE(warns_of_counts(run, "1 threads were not counted"));
  EXPECT_TRUE(warns_of_counts(run, "5 overflows"));
}

TEST(MergedCounts, EventsThatNoRankCountedAreNotPassedOverInSilence) {
  RunFolder f(1);
  f.write("a.raw", counted_file(0, 1, {}, {{{0, kOutside, 0, 0x10000}, {1, 4, 0, {}}}}, {0, 0, "no libpapi"}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.counters, "clock");
  EXPECT_NE(run.counters_reason.find("none could be counted"), std::string::npos);
  EXPECT_TRUE(warns_of_counts(run, "no libpapi"));
  EXPECT_EQ(kernel(run, kProgram)->metrics.count("instructions"), 0u);
}

}  // namespace
}  // namespace scalediag::merge
