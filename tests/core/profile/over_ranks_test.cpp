#include <gtest/gtest.h>

#include "core/profile/profile.h"

namespace scalediag::core {
namespace {

void expect_equal(const OverRanks& v, double sum, double mean, double min, int rank_of_min, double max,
                  int rank_of_max) {
  EXPECT_DOUBLE_EQ(v.sum, sum);
  EXPECT_DOUBLE_EQ(v.mean, mean);
  EXPECT_DOUBLE_EQ(v.min, min);
  EXPECT_EQ(v.rank_of_min, rank_of_min);
  EXPECT_DOUBLE_EQ(v.max, max);
  EXPECT_EQ(v.rank_of_max, rank_of_max);
}

TEST(OverRanks, NothingAddedIsZeroOnRankZero) {
  expect_equal(OverRanksBuilder().finish(4), 0, 0, 0, 0, 0, 0);
  expect_equal(OverRanksBuilder().finish(0), 0, 0, 0, 0, 0, 0);
}

TEST(OverRanks, AllRanksInOrder) {
  OverRanksBuilder builder;
  builder.add(0, 2);
  builder.add(1, 5);
  builder.add(2, 1);
  builder.add(3, 4);
  expect_equal(builder.finish(4), 12, 3, 1, 2, 5, 1);
}

TEST(OverRanks, TheLowestRankWinsATieInAnyOrder) {
  OverRanksBuilder builder;
  builder.add(3, 7);
  builder.add(2, 1);
  builder.add(1, 7);
  builder.add(0, 1);
  expect_equal(builder.finish(4), 16, 4, 1, 0, 7, 1);
}

TEST(OverRanks, MissingRanksCountAsZero) {
  // Ranks 0 to 4 have 3, 0, 0, 6, 0: the lowest rank without is 1.
  OverRanksBuilder builder;
  builder.add(0, 3);
  builder.add(3, 6);
  expect_equal(builder.finish(5), 9, 1.8, 0, 1, 6, 3);
}

TEST(OverRanks, AMissingRankAtTheEndIsFound) {
  OverRanksBuilder builder;
  builder.add(1, 3);
  builder.add(0, 6);
  expect_equal(builder.finish(3), 9, 3, 0, 2, 6, 0);
}

TEST(OverRanks, GapsCloseInAnyOrder) {
  // 4, 2, 0, 1, 3: after the third the prefix is rank 0 alone, with 2 and 4 remembered beyond it; after the last all
  // five are there and no rank counts as 0.
  OverRanksBuilder builder;
  for (const int rank : {4, 2, 0, 1, 3}) builder.add(rank, 10 + rank);
  expect_equal(builder.finish(5), 60, 12, 10, 0, 14, 4);
  // The sixth of six ranks is the one that is missing.
  expect_equal(builder.finish(6), 60, 10, 0, 5, 14, 4);
}

TEST(OverRanks, AnAddedZeroOnALowerRankWinsOverAMissingOne) {
  OverRanksBuilder builder;
  builder.add(0, 0);
  builder.add(2, 5);
  expect_equal(builder.finish(3), 5, 5.0 / 3, 0, 0, 5, 2);
}

TEST(OverRanks, AMissingRankWinsOverAnAddedZeroOnAHigherOne) {
  OverRanksBuilder builder;
  builder.add(0, 5);
  builder.add(2, 0);
  expect_equal(builder.finish(3), 5, 5.0 / 3, 0, 1, 5, 0);
}

TEST(OverRanks, AMissingRankIsTheLargestOfNegativeValues) {
  // Unattributed time can be slightly negative when samples are charged a little too much.
  OverRanksBuilder builder;
  builder.add(0, -2);
  builder.add(1, -1);
  expect_equal(builder.finish(3), -3, -1, -2, 0, 0, 2);
  expect_equal(builder.finish(2), -3, -1.5, -2, 0, -1, 1);
}

TEST(OverRanks, OfSomeRanksTheSumIsAnExtrapolation) {
  // Of 8 ranks 0, 3 and 7 were counted: 10, 20 and 60. Mean 30, and 8 x 30 for all.
  OverRanksBuilder builder;
  builder.add(0, 10);
  builder.add(7, 60);
  builder.add(3, 20);
  expect_equal(builder.finish(8, {0, 3, 7}), 240, 30, 10, 0, 60, 7);
}

TEST(OverRanks, ACountedRankWithoutAValueHasZero) {
  // Of 8 ranks 2, 3 and 7 were counted, and only 7 has the kernel. Mean 4.
  OverRanksBuilder builder;
  builder.add(7, 12);
  expect_equal(builder.finish(8, {2, 3, 7}), 32, 4, 0, 2, 12, 7);
  expect_equal(OverRanksBuilder().finish(8, {2, 3}), 0, 0, 0, 2, 0, 2);
}

TEST(OverRanks, NoRanksStandForAll) {
  OverRanksBuilder builder;
  builder.add(1, 6);
  expect_equal(builder.finish(3, {}), 6, 2, 0, 0, 6, 1);
}

}  // namespace
}  // namespace scalediag::core
