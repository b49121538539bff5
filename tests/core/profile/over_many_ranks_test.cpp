#include <gtest/gtest.h>

#include <cmath>

#include "core/profile/over_ranks.h"
#include "core/profile/ranks/rank_quantiles.h"

namespace scalediag::core {
namespace {

TEST(RankQuantiles, AreWithinOnePercentOverManyMagnitudes) {
  // The values 1.01^i, i = 0 ... 9999, rise: at least q x 10000 of them do not exceed number q x 10000 - 1.
  QuantileCounts counts;
  for (int i = 0; i < 10000; ++i) counts.add(std::pow(1.01, i - 5000));
  const RankQuantiles q = counts.quantiles(10000, 0, 1e300);
  for (size_t i = 0; i < q.size(); ++i) {
    const double truth = std::pow(1.01, kRankQuantiles[i] * 10000 - 1 - 5000);
    EXPECT_NEAR(q[i], truth, 0.01 * truth) << kRankQuantiles[i];
  }
}

TEST(RankQuantiles, NegativeValuesComeBeforeZerosAndThosePrecedePositiveOnes) {
  // 30 times -2, 40 not added, 30 times 3: -2 up to 30 %, 0 up to 70 %.
  QuantileCounts counts;
  for (int i = 0; i < 30; ++i) {
    counts.add(3);
    counts.add(-2);
  }
  EXPECT_EQ(counts.quantiles(100, -2, 3), (RankQuantiles{-2, -2, 0, 3, 3}));
}

TEST(RankQuantiles, StayBetweenTheExtremes) {
  // A bin from 1 to 1 + 1/64 has its middle at 1.0078.
  QuantileCounts counts;
  counts.add(1);
  EXPECT_EQ(counts.quantiles(1, 1, 1), (RankQuantiles{1, 1, 1, 1, 1}));
}

// Ranks 0 ... n - 1 have the value of their number.
OverRanksBuilder numbers(int begin, int end) {
  OverRanksBuilder builder;
  for (int rank = begin; rank < end; ++rank) builder.add(rank, rank);
  return builder;
}

TEST(OverRanks, HasQuantilesAbove1024Ranks) {
  EXPECT_FALSE(numbers(0, 1024).finish(1024).quantiles);
  const OverRanks all = numbers(0, 2000).finish(2000);
  ASSERT_TRUE(all.quantiles);
  // Of 0 ... 1999, 1 % do not exceed 19, half do not exceed 999, 99 % do not exceed 1979.
  EXPECT_NEAR((*all.quantiles)[0], 19, 0.19);
  EXPECT_NEAR((*all.quantiles)[2], 999, 9.99);
  EXPECT_NEAR((*all.quantiles)[4], 1979, 19.79);
}

TEST(OverRanks, OfSomeRanksHasTheirQuantiles) {
  OverRanksBuilder builder;
  builder.add(1, 5);
  builder.add(3, 7);
  // Of the three counted ranks one has no value: 0, 5, 7.
  const OverRanks some = builder.finish(2000, {1, 3, 4});
  ASSERT_TRUE(some.quantiles);
  EXPECT_EQ((*some.quantiles)[0], 0);
  EXPECT_NEAR((*some.quantiles)[2], 5, 0.05);
  EXPECT_EQ((*some.quantiles)[4], 7);
}

TEST(RankSet, TheLowestMissingRankIsFoundInAnyOrder) {
  // All of 0 ... 1008 but 700, in steps of 7, which passes through all of 1009, a prime.
  RankSet ranks;
  EXPECT_EQ(ranks.lowest_missing(), 0);
  for (int i = 0; i < 1009; ++i) {
    const int rank = i * 7 % 1009;
    if (rank != 700) ranks.add(rank);
  }
  EXPECT_EQ(ranks.lowest_missing(), 700);
  EXPECT_FALSE(ranks.has(700));
  EXPECT_TRUE(ranks.has(699));
  ranks.add(700);
  EXPECT_EQ(ranks.lowest_missing(), 1009);
}

}  // namespace
}  // namespace scalediag::core
