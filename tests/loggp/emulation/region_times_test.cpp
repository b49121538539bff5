#include "loggp/emulation/region_times.h"

#include <gtest/gtest.h>

namespace scalediag::loggp {
namespace {

const std::vector<std::string> kNames = {"run", "step", "write"};

// Rank 0 is in run from 1 to 9 and in two steps in it, of 2 and 1 s; rank 1 never leaves run.
TEST(RegionTimes, NestedRegionsHaveTheirTimesAndCommunication) {
  RegionTimes times(2);
  times.mark(0, 0, true, 1);
  times.mark(0, 1, true, 2);
  times.add_communication(0, 0.5);
  times.mark(0, 1, false, 4);
  times.mark(0, 1, true, 5);
  times.mark(0, 1, false, 6);
  times.add_communication(0, 0.25);
  times.mark(0, 0, false, 9);
  times.mark(1, 0, true, 3);
  times.add_communication(1, 2);
  EXPECT_EQ(times.part(0).ranks, 1U);
  EXPECT_EQ(times.part(1).times, 2U);
  EXPECT_EQ(times.part(1).begin_s, 2);
  EXPECT_EQ(times.part(1).end_s, 6);
  EXPECT_EQ(times.part(2).ranks, 0U);

  std::vector<RankTimes> ranks(2);
  ranks[0].end_s = 10;
  ranks[1].end_s = 8;
  const auto regions = times.regions(kNames, ranks);
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_EQ(regions[0].name, "run");
  EXPECT_EQ(regions[0].parent, "");
  EXPECT_EQ(regions[0].elapsed_s, (std::vector<double>{8, 5}));
  EXPECT_EQ(regions[0].communication_s, (std::vector<double>{0.75, 2}));
  EXPECT_EQ(regions[1].name, "step");
  EXPECT_EQ(regions[1].parent, "run");
  EXPECT_EQ(regions[1].count, (std::vector<double>{2, 0}));
  EXPECT_EQ(regions[1].elapsed_s, (std::vector<double>{3, 0}));
  EXPECT_EQ(regions[1].communication_s, (std::vector<double>{0.5, 0}));
}

// run ends before step, which was entered in it; what is then entered lies in step. An end without a beginning is none.
TEST(RegionTimes, RegionsMayOverlap) {
  RegionTimes times(1);
  times.mark(0, 2, false, 0);
  times.mark(0, 0, true, 1);
  times.mark(0, 1, true, 2);
  times.mark(0, 0, false, 3);
  times.mark(0, 2, true, 4);
  times.mark(0, 2, false, 5);
  times.mark(0, 1, false, 7);
  const auto regions = times.regions(kNames, std::vector<RankTimes>(1));
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_EQ(regions[0].elapsed_s[0], 2);
  EXPECT_EQ(regions[1].elapsed_s[0], 5);
  EXPECT_EQ(regions[2].parent, "run/step");
  EXPECT_EQ(regions[2].elapsed_s[0], 1);
}

}  // namespace
}  // namespace scalediag::loggp
