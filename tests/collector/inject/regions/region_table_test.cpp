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
