#include "collector/counters/callgrind/part_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "collector/counters/callgrind/valgrind.h"

namespace scalediag::counters {
namespace {

// 1000 rounds of 1 ms, 0.1 s before them and `after_s` after them.
CountedWork work(double after_s) { return {{{10, 4, 1000, 1e-3}}, 1.1 + after_s, after_s}; }

// 9 rounds, what comes before and what comes after are counted, 991 rounds are not, and counting goes on four times.
TEST(ReplaysTake, WhatIsCountedAndWhatIsPassed) {
  const double counted_s = 0.1 + 0.2 + 9e-3;
  EXPECT_NEAR(replays_s({work(0.2)}, {4, 2, 1}, 1),
              kReplayStart_s + 4 * kTranslation_s + kCountingSlowdown * counted_s + kUncountedSlowdown * 0.991, 1e-9);
}

// 17 rounds of 0.05 s, of which nine would be most, so that also what follows them is counted.
TEST(ReplaysTake, AllOfALoopOfWhichMostWouldBeCounted) {
  const CountedWork few{{{10, 4, 17, 0.05}}, 1, 0.01};
  EXPECT_NEAR(replays_s({few}, {4, 2, 0.5}, 1), kReplayStart_s + kCountingSlowdown * 1, 1e-9);
}

TEST(ReplaysTake, NothingAfterTheirEnd) {
  EXPECT_NEAR(replays_s({work(0.2)}, {4, 2, 0.5}, 1),
              kReplayStart_s + 4 * kTranslation_s + kCountingSlowdown * 0.109 + kUncountedSlowdown * 0.491, 1e-9);
}

// Three ranks on two cores take two turns, of which the first is as long as its longer rank.
TEST(ReplaysTake, TurnsWhereRanksAreMoreThanCores) {
  const CountedExtent extent{4, 2, 1};
  const double short_s = replays_s({work(0)}, extent, 1), long_s = replays_s({work(0.2)}, extent, 1);
  EXPECT_NEAR(replays_s({work(0), work(0.2), work(0)}, extent, 2), long_s + short_s, 1e-9);
  EXPECT_NEAR(replays_s({work(0), work(0.2), work(0)}, extent, 3), long_s, 1e-9);
}

TEST(LargestExtent, IsWhatTheLimitAllows) {
  const std::vector<CountedWork> ranks = {work(0)};
  const auto largest = largest_extent(ranks, 1, 1000);
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->reach, 1);
  const double all_s = replays_s(ranks, *largest, 1);
  const auto fewer = largest_extent(ranks, 1, 0.99 * all_s);
  ASSERT_TRUE(fewer);
  EXPECT_LT(fewer->rounds(), largest->rounds());
  EXPECT_LE(replays_s(ranks, *fewer, 1), 0.99 * all_s);
  EXPECT_FALSE(largest_extent(ranks, 1, 0.99 * replays_s(ranks, *least_extent(ranks), 1)));
}

// Three places of a round each, with the first one, leave out four of eight rounds, and would be most of seven.
TEST(LargestExtent, LeavesOutRounds) {
  const auto rounds = [](uint64_t n) { return std::vector<CountedWork>{{{{10, 4, n, 1e-3}}, 1, 0.5}}; };
  EXPECT_EQ(largest_extent(rounds(8), 1, 1000).value().rounds(), 4u);
  EXPECT_FALSE(largest_extent(rounds(7), 1, 1000));
  EXPECT_FALSE(least_extent(rounds(7)));
}

// Of 1.3 s 0.2 s are too much to be guessed.
TEST(LargestExtent, GoesToTheEndWhereMuchFollows) {
  EXPECT_LT(least_extent({work(0)}).value().reach, 1);
  EXPECT_EQ(least_extent({work(0), work(0.2)}).value().reach, 1);
}

}  // namespace
}  // namespace scalediag::counters
