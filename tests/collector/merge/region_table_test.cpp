#include "collector/merge/region_table.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

// A tick is a nanosecond.
RankRecord rank_of_regions(uint32_t rank, std::vector<raw::Region> regions) {
  RankRecord record;
  record.rank = rank;
  record.identity.emplace();
  for (const auto& [phase, at] : {std::pair(raw::Phase::kLoad, uint64_t{0}),
                                  {raw::Phase::kInitEnd, uint64_t{0}},
                                  {raw::Phase::kExit, uint64_t{1000000000}}}) {
    ClockPoint point;
    point.phase = phase;
    point.ticks = point.monotonic_ns = at;
    record.points[static_cast<size_t>(phase)] = record.last_point = point;
  }
  record.regions = std::move(regions);
  return record;
}

raw::Region region(uint32_t number, uint32_t parent, const std::string& name, uint64_t count, uint64_t ticks) {
  return {raw::kMainThread, number, parent, name, "scalediag", count, ticks, ticks / 4, ticks / 2, 0};
}

TEST(RegionTable, RegionsOfRanksAreTheSameByTheirPath) {
  // The ranks met them in another order. "dot" lasts 0.2 s on rank 0, and 0.4 s on rank 1.
  RegionTable table;
  table.add(rank_of_regions(0, {region(1, 0, "solve", 1, 800000000), region(2, 1, "dot", 3, 200000000)}));
  table.add(rank_of_regions(
      1, {region(1, 0, "io", 1, 1000), region(2, 0, "solve", 1, 800000000), region(3, 2, "dot", 3, 400000000)}));
  const auto regions = table.finish(2);
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0].name, "io");
  EXPECT_EQ(regions[0].count.min, 0);
  EXPECT_EQ(regions[1].name, "solve");
  EXPECT_EQ(regions[2].parent, "solve");
  EXPECT_EQ(regions[2].count.sum, 6);
  EXPECT_NEAR(regions[2].elapsed_s.mean, 0.3, 1e-9);
  EXPECT_NEAR(regions[2].communication_s.sum, 0.15, 1e-9);
  EXPECT_NEAR(regions[2].computation_s.sum, 0.45, 1e-9);
  EXPECT_NEAR(regions[2].cpu_s.max, 0.2, 1e-9);
  EXPECT_EQ(regions[2].elapsed_s.rank_of_max, 1);
  EXPECT_TRUE(table.warnings().empty());
}

TEST(RegionTable, NumbersOfRanksAreOneMeanAndRange) {
  RankRecord first = rank_of_regions(0, {region(1, 0, "solve", 1, 1000)});
  first.region_parameters = {{1, "rows", 3, "30", "5", "15"}};
  RankRecord second = rank_of_regions(1, {region(1, 0, "solve", 1, 1000)});
  second.region_parameters = {{1, "rows", 1, "2", "2", "2"}};
  RegionTable table;
  table.add(first);
  table.add(second);
  const core::RegionParameter rows = table.finish(2).at(0).parameters.at("rows");
  EXPECT_EQ(rows.n, 4);
  EXPECT_EQ(rows.mean, 8);  // (30 + 2) / 4
  EXPECT_EQ(rows.min, 2);
  EXPECT_EQ(rows.max, 15);
}

// A rank with two parallel regions of two threads in the program's region, which the merge has names for.
RankRecord rank_with_parallel(uint32_t rank, uint64_t second_ticks) {
  RankRecord record = rank_of_regions(
      rank, {region(1, 0, "solve", 1, 800000000), region(2, 1, "parallel at 0x1000", 4, 300000000),
             region(3, 1, "parallel at 0x2000", 1, second_ticks), region(4, 0, "parallel at 0x2000", 1, 100000000)});
  record.regions[1].source = record.regions[2].source = record.regions[3].source = core::kOpenMp;
  record.regions[3].thread_class = raw::kOtherThread;
  // Of 600 ms of two threads they are busy for 400 ms, the slowest one for 250 ms.
  record.parallel_regions = {{2, 0, 0x1000, 0, 2, 0, 600000000, 400000000, 250000000, 300000000, 50000000},
                             {3, 0, 0x2000, 0, 2, 0, 2 * second_ticks, second_ticks, second_ticks, second_ticks, 0},
                             {4, 0, 0x2000, 0, 3, 1, 300000000, 300000000, 100000000, 0, 0}};
  return record;
}
const std::map<uint32_t, std::string> kNames = {{2, "a at a/b.c:7"}, {3, "b at b.c:9"}, {4, "b at b.c:9"}};

TEST(RegionTable, ThreadsOfParallelRegionsAreBusyOrIdle) {
  RegionTable table;
  table.add(rank_with_parallel(0, 100000000), kNames);
  table.add(rank_with_parallel(1, 200000000), kNames);
  const auto regions = table.finish(2);
  ASSERT_EQ(regions.size(), 4u);
  EXPECT_FALSE(regions[1].parallel);
  const core::Region& a = regions[2];
  EXPECT_EQ(a.name, "a at a|b.c:7");
  EXPECT_EQ(a.parent, "solve");
  ASSERT_TRUE(a.parallel);
  EXPECT_EQ(a.parallel->most, 2);
  EXPECT_NEAR(a.parallel->busy_s.mean, 0.4, 1e-9);
  EXPECT_NEAR(a.parallel->idle_s.mean, 0.2, 1e-9);
  EXPECT_NEAR(a.parallel->slowest_s.max, 0.25, 1e-9);
  EXPECT_NEAR(a.parallel->busy_cpu_s.mean, 0.35, 1e-9);     // 0.3 s, and 0.05 s for which it was not read
  EXPECT_NEAR(regions[3].parallel->idle_s.sum, 0.3, 1e-9);  // half of 0.2 s and 0.4 s
  EXPECT_EQ(regions[0].name, "b at b.c:9");
  EXPECT_TRUE(regions[0].of_other_threads);
  EXPECT_EQ(regions[0].parallel->most, 3);
  EXPECT_NE(regions[0].note.find("upper bound"), std::string::npos);
}

TEST(RegionTable, TimeOutsideOfParallelRegionsIsWhatIsLeft) {
  RegionTable table;
  RankRecord record = rank_with_parallel(0, 100000000);
  // 0.3 s of the main thread in MPI, of which a quarter of 0.3 s + 0.1 s was in parallel regions.
  OperationTotals totals;
  totals.ticks = 300000000;
  record.operations[{raw::operation_at(1, 0), raw::kMainThread, 1, 0}] = totals;
  table.add(record, kNames);
  const auto openmp = table.openmp(1);
  ASSERT_TRUE(openmp);
  EXPECT_NEAR(openmp->inside_s.mean, 0.4, 1e-9);  // regions of other threads are left out
  EXPECT_NEAR(openmp->outside_mpi_s.mean, 0.2, 1e-9);
  EXPECT_NEAR(openmp->outside_s.mean, 0.4, 1e-9);  // of the rank's second
  RegionTable without;
  without.add(rank_of_regions(0, {region(1, 0, "solve", 1, 1000)}));
  EXPECT_FALSE(without.openmp(1));
}

TEST(RegionTable, WhatWasOpenAtTheEndAndWhatIsMissingAreTold) {
  RankRecord record = rank_of_regions(0, {region(1, 0, "solve", 1, 1000)});
  record.regions[0].open = 1;
  record.region_problems = {2, "never", 1};
  RegionTable table;
  table.add(record);
  EXPECT_EQ(table.finish(1).at(0).note, "entered and not left on 1 rank when MPI ended: it counts until then");
  ASSERT_EQ(table.warnings().size(), 2u);
  EXPECT_EQ(table.warnings()[0], "2 ends of regions without a beginning are left out, the first of them of never");
}

}  // namespace
}  // namespace scalediag::merge
