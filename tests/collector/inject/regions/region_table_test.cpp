#include "collector/inject/regions/region_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace scalediag::inject {
namespace {

constexpr char kOne[] = "one", kOther[] = "other";

// "parent>name count" a line, by number.
std::string listed(RegionTable& table) {
  const RegionTable::Record record = table.record();
  std::string text;
  for (const raw::Region& r : record.regions) {
    const std::string parent = r.parent > 0 ? record.regions[r.parent - 1].name + ">" : "";
    text += parent + r.name + " " + std::to_string(r.count) + "\n";
  }
  return text;
}

// A thread's stack belongs to the only table that there is in a program, so that each table here has a thread.
template <class Test>
void with_table(Test test) {
  std::thread([&test] {
    RegionTable table;
    table.open();
    test(table);
  }).join();
}

TEST(RegionTable, RegionsAreKnownByWhatTheyLieIn) {
  with_table([](RegionTable& table) {
    for (int i = 0; i < 3; ++i) {
      table.begin(kOne, "solve");
      table.begin(kOne, "dot");
      table.end(kOne, "dot");
      table.end(kOne, "solve");
      table.begin(kOne, "dot");
      table.end(kOne, "dot");
    }
    EXPECT_EQ(listed(table), "solve 3\nsolve>dot 3\ndot 3\n");
  });
}

TEST(RegionTable, TheTextAtAnAddressMayChange) {
  with_table([](RegionTable& table) {
    char name[] = "a";
    for (const char c : {'a', 'b', 'a'}) {
      name[0] = c;
      table.begin(kOne, name);
      table.end(kOne, name);
    }
    EXPECT_EQ(listed(table), "a 2\nb 1\n");
  });
}

TEST(RegionTable, RegionsMayOverlap) {
  with_table([](RegionTable& table) {
    table.begin(kOne, "a");
    table.begin(kOther, "b");
    table.end(kOne, "a");
    table.end(kOther, nullptr);
    EXPECT_EQ(listed(table), "a 1\na>b 1\n");
  });
}

TEST(RegionTable, AnEndIsOfItsInterfaceAndHandle) {
  with_table([](RegionTable& table) {
    table.begin(kOne, "a", 5);
    EXPECT_FALSE(table.end(kOther, nullptr));
    EXPECT_FALSE(table.end(kOne, nullptr, 7));
    EXPECT_TRUE(table.end(kOne, nullptr, 5));
    EXPECT_FALSE(table.end(kOne, "a", 0, false));
    const RegionTable::Record record = table.record();
    EXPECT_EQ(record.problems.ends_without_begin, 2u);
    EXPECT_EQ(record.regions.at(0).count, 1u);
  });
}

TEST(RegionTable, WhatIsOpenCountsUntilNow) {
  with_table([](RegionTable& table) {
    table.begin(kOne, "a");
    const RegionTable::Record record = table.record();
    EXPECT_EQ(record.regions.at(0).count, 1u);
    EXPECT_EQ(record.regions.at(0).open, 1u);
    EXPECT_GT(record.regions.at(0).ticks, 0u);
    table.end(kOne, "a");
    EXPECT_EQ(table.record().regions.at(0).open, 0u);
  });
}

TEST(RegionTable, NumbersAreKeptAsTheirSumAndRange) {
  with_table([](RegionTable& table) {
    table.parameter("rows", 7);  // of no region
    table.begin(kOne, "a");
    for (const double rows : {3.0, -1.0, 4.5}) table.parameter("rows", rows);
    table.end(kOne, "a");
    const raw::RegionParameter p = table.record().parameters.at(0);
    EXPECT_EQ(p.n, 3u);
    EXPECT_EQ(p.sum, "6.5");
    EXPECT_EQ(p.least, "-1");
    EXPECT_EQ(p.most, "4.5");
  });
}

TEST(RegionTable, WhatFindsNoRoomIsCountedAndEndsNothingElse) {
  with_table([](RegionTable& table) {
    for (size_t i = 0; i + 1 < RegionTable::kMostRegions; ++i) {
      const std::string name = "r" + std::to_string(i);
      table.begin(kOne, name.c_str());
      table.end(kOne, name.c_str());
    }
    table.begin(kOne, "outer");  // the last one that has room
    table.begin(kOne, "dropped");
    table.end(kOne, nullptr);
    table.end(kOne, "outer");
    const RegionTable::Record record = table.record();
    EXPECT_EQ(record.regions.size(), RegionTable::kMostRegions);
    EXPECT_EQ(record.regions.back().name, "outer");
    EXPECT_EQ(record.regions.back().count, 1u);
    EXPECT_EQ(record.problems.dropped, 1u);
    EXPECT_EQ(record.problems.ends_without_begin, 0u);
  });
}

// What two threads were busy for, the slowest one 70 ticks.
void fill(openmp::Team& team) {
  team.threads = 2;
  team.busy_ticks = 100;
  team.slowest_ticks = 70;
  team.busy_cpu_ns = 20;
  team.unread_ticks = 5;
}

TEST(RegionTable, ParallelRegionsAreKnownByTheirAddress) {
  with_table([](RegionTable& table) {
    openmp::Team team;
    fill(team);
    table.begin_parallel(0x1000, false);  // before they are recorded
    table.end_parallel(team);
    table.open_for_parallel();
    table.begin(kOne, "solve");
    for (const uint64_t address : {0x1000, 0x2000, 0x1000}) {
      table.begin_parallel(address, false);
      table.end_parallel(team);
    }
    table.end(kOne, "solve");
    EXPECT_EQ(listed(table), "solve 1\nsolve>parallel at 0x1000 2\nsolve>parallel at 0x2000 1\n");
  });
}

TEST(RegionTable, NumbersAreNotOfParallelRegions) {
  with_table([](RegionTable& table) {
    table.open_for_parallel();
    table.begin(kOne, "solve");
    table.begin_parallel(0x1000, false);
    table.parameter("rows", 3);
    table.end_parallel(openmp::Team());
    table.end(kOne, "solve");
    const RegionTable::Record record = table.record();
    ASSERT_EQ(record.parameters.size(), 1u);
    EXPECT_EQ(record.parameters[0].region, 1u);
  });
}

TEST(RegionTable, TheThreadsOfParallelRegionsAreSums) {
  with_table([](RegionTable& table) {
    table.open_for_parallel();
    table.set_epoch(3);
    openmp::Team team;
    fill(team);
    table.begin_parallel(0x1000, true);
    table.end_parallel(team);
    table.set_epoch(4);
    team.threads = 1;
    team.has_unseen_tasks = true;
    table.begin_parallel(0x1000, true);
    table.end_parallel(team);
    const RegionTable::Record record = table.record();
    ASSERT_EQ(record.parallel.size(), 1u);
    const raw::ParallelRegion& r = record.parallel[0];
    EXPECT_EQ(r.region, 1u);
    EXPECT_EQ(r.address, 0x1000u);
    EXPECT_EQ(r.is_return, 1u);
    EXPECT_EQ(r.epoch, 3u);  // of when it was first entered
    EXPECT_EQ(r.most_threads, 2u);
    EXPECT_EQ(r.busy_ticks, 200u);
    EXPECT_EQ(r.slowest_ticks, 140u);
    EXPECT_EQ(r.busy_cpu_ns, 40u);
    EXPECT_EQ(r.unread_ticks, 10u);
    EXPECT_EQ(r.has_unseen_tasks, 1u);
    // Two threads in the first entry, one in the other.
    EXPECT_GE(r.thread_ticks, record.regions.at(0).ticks);
    EXPECT_LE(r.thread_ticks, 2 * record.regions.at(0).ticks);
  });
}

TEST(RegionTable, AParallelRegionThatIsOpenHasNoThreadsYet) {
  with_table([](RegionTable& table) {
    table.open_for_parallel();
    table.begin_parallel(0x1000, false);
    const RegionTable::Record record = table.record();
    EXPECT_EQ(record.regions.at(0).open, 1u);
    EXPECT_EQ(record.parallel.at(0).thread_ticks, 0u);
    openmp::Team team;
    fill(team);
    table.close();
    table.end_parallel(team);  // as after MPI_Finalize
    EXPECT_EQ(table.record().parallel.at(0).busy_ticks, 0u);
  });
}

TEST(RegionTable, LevelsBeyondTheLastAreLeftOut) {
  with_table([](RegionTable& table) {
    for (size_t i = 0; i < RegionTable::kMostLevels + 2; ++i) table.begin(kOne, "a");
    for (size_t i = 0; i < RegionTable::kMostLevels + 2; ++i) EXPECT_TRUE(table.end(kOne, "a"));
    EXPECT_FALSE(table.end(kOne, "a"));
    EXPECT_EQ(table.record().problems.dropped, 2u);
    EXPECT_EQ(table.record().regions.size(), RegionTable::kMostLevels);
  });
}

}  // namespace
}  // namespace scalediag::inject
