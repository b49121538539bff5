#include "loggp/simulator/shared_adapter.h"

#include <gtest/gtest.h>

namespace scalediag::loggp {
namespace {

constexpr uint32_t kElsewhere = 9;  // a rank that sends nothing

std::vector<SharedAdapters::End> all_ends(SharedAdapters& adapters) {
  std::vector<SharedAdapters::End> ends;
  while (!adapters.empty()) {
    const double at_s = adapters.next_s();
    const auto end = adapters.step();
    if (!end) continue;
    EXPECT_EQ(end->end_s, at_s);
    ends.push_back(*end);
  }
  return ends;
}

TEST(SharedAdapters, OneMessageAlonePassesAtFullSpeed) {
  SharedAdapters adapters;
  EXPECT_TRUE(adapters.empty());
  adapters.begin(7, kElsewhere, 3, 10, 1, 2);
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_DOUBLE_EQ(ends[0].begin_s, 3);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 13);
  EXPECT_EQ(ends[0].send, 1U);
  EXPECT_EQ(ends[0].receive, 2U);
}

TEST(SharedAdapters, EqualOnesEndTogetherInTheOrderOfTheirNumbers) {
  SharedAdapters adapters;
  for (const uint32_t send : {5U, 3U, 4U}) adapters.begin(0, kElsewhere, 1, 10, send, 0);
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 3U);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(ends[i].end_s, 31);
    EXPECT_EQ(ends[i].send, 3 + i);
  }
}

// A message of 100 from 0 on, and another one of the same sender from 10 on; the later one ends first.
std::vector<SharedAdapters::End> ends_of_a_long_and_one_of(double work_s) {
  SharedAdapters adapters;
  adapters.begin(0, kElsewhere, 0, 100, 1, 0);
  adapters.begin(0, kElsewhere, 10, work_s, 2, 0);
  const auto ends = all_ends(adapters);
  EXPECT_TRUE(ends.size() == 2 && ends[0].send == 2);
  return ends;
}

TEST(SharedAdapters, AShortOneOvertakesALongOne) {
  const auto ends = ends_of_a_long_and_one_of(1);
  // From 10 on both pass: the short one has its 1 at 12, when the long one has had 10 + 1 and needs 89 more.
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 12);
  EXPECT_DOUBLE_EQ(ends[1].end_s, 101);
}

TEST(SharedAdapters, WhatTakesNoTimeEndsWhenItBegins) {
  const auto ends = ends_of_a_long_and_one_of(0);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 10);
  EXPECT_DOUBLE_EQ(ends[1].end_s, 100);
}

TEST(SharedAdapters, SendersDoNotDisturbEachOtherAndEndInTheOrderOfTime) {
  SharedAdapters adapters;
  adapters.begin(2, kElsewhere, 0, 30, 1, 0);
  adapters.begin(0, kElsewhere, 0, 20, 2, 0);
  adapters.begin(1, kElsewhere, 5, 5, 3, 0);
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 10);
  EXPECT_DOUBLE_EQ(ends[1].end_s, 20);
  EXPECT_DOUBLE_EQ(ends[2].end_s, 30);
}

TEST(SharedAdapters, WhatIsKnownLateBeginsWhenTheLastOneEnded) {
  SharedAdapters adapters;
  adapters.begin(0, kElsewhere, 0, 10, 1, 0);
  while (!adapters.step()) {
  }
  adapters.begin(0, kElsewhere, 8, 10, 2, 0);
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_DOUBLE_EQ(ends[0].begin_s, 10);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 20);
}

TEST(SharedAdapters, WhoReceivesSendsMoreSlowly) {
  SharedAdapters adapters(2);
  adapters.begin(0, 1, 0, 10, 1, 0);
  adapters.begin(1, 2, 4, 10, 2, 0);
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 2U);
  // Nobody sends to rank 0.
  EXPECT_EQ(ends[0].send, 1U);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 10);
  // From 4 to 10 rank 1 receives and gets 3 through; the other 7 follow at full speed.
  EXPECT_EQ(ends[1].send, 2U);
  EXPECT_DOUBLE_EQ(ends[1].end_s, 17);
}

TEST(SharedAdapters, TwoThatExchangeTakeTurns) {
  SharedAdapters adapters(2);
  adapters.begin(0, 1, 0, 10, 1, 0);
  adapters.begin(1, 0, 0, 10, 2, 0);
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_DOUBLE_EQ(ends[0].end_s, 20);
  EXPECT_DOUBLE_EQ(ends[1].end_s, 20);
}

TEST(SharedAdapters, SeveralThatAreReceivedSlowDownAsOneDoes) {
  SharedAdapters adapters(1.5);
  for (const uint32_t other : {1U, 2U}) {
    adapters.begin(other, 0, 0, 30, 2 * other, 0);
    adapters.begin(0, other, 0, 10, 2 * other + 1, 0);
  }
  const auto ends = all_ends(adapters);
  ASSERT_EQ(ends.size(), 4U);
  // Rank 0 sends two of 10, at two thirds of its speed all the time.
  EXPECT_DOUBLE_EQ(ends[0].end_s, 30);
  EXPECT_DOUBLE_EQ(ends[1].end_s, 30);
  // The others received until then and had got 20 through.
  EXPECT_DOUBLE_EQ(ends[2].end_s, 40);
  EXPECT_DOUBLE_EQ(ends[3].end_s, 40);
}

}  // namespace
}  // namespace scalediag::loggp
