#include "collector/counters/callgrind/counted_ranks.h"

#include <gtest/gtest.h>

namespace scalediag::counters {
namespace {

// Each rank sends a message to its neighbours in a line; the ranks at its ends have one of them.
core::Run line_of(int np) {
  core::Run run;
  run.np = np;
  for (int rank = 0; rank + 1 < np; ++rank) {
    run.peers.push_back({rank, rank + 1, 1, 1000});
    run.peers.push_back({rank + 1, rank, 1, 1000});
  }
  return run;
}

TEST(ChooseRanks, TakesAllOfAFew) { EXPECT_EQ(choose_ranks(4, nullptr), (RankChoice{{0, 1, 2, 3}, {1, 1, 1, 1}})); }

TEST(ChooseRanks, AddsOneOfThoseThatDifferFromTheFirstAndTheLast) {
  // The ends are alike, and so are ranks 1 to 6, of which the lowest is taken for all.
  const core::Run run = line_of(8);
  EXPECT_EQ(choose_ranks(8, &run), (RankChoice{{0, 1, 7}, {1, 6, 1}}));
}

TEST(ChooseRanks, AddsTheMostDifferentFirst) {
  core::Run run = line_of(16);
  run.peers.push_back({5, 9, 1000, 1e9});  // a lot from 5 to 9
  const RankChoice choice = choose_ranks(16, &run);
  // Besides 0 and 15 there is room for two: 5 sends and 9 receives. The other twelve are more like the ends than like
  // those, by half each.
  EXPECT_EQ(choice.ranks, (std::vector<int>{0, 5, 9, 15}));
  EXPECT_EQ(choice.stands_for, (std::vector<int>{7, 1, 1, 7}));
}

TEST(ChooseRanks, TakesTheFirstAndTheLastWhereNothingIsKnown) {
  // Every rank looks alike, so each goes to the nearer one: 0 to 3 and 4 to 7.
  EXPECT_EQ(choose_ranks(8, nullptr), (RankChoice{{0, 7}, {4, 4}}));
}

TEST(ChooseRanks, KnowsNothingOfRanksOfWhichOnlyBlocksWereKept) {
  core::Run run = line_of(8);
  run.ranks_per_block = 2;
  EXPECT_EQ(choose_ranks(8, &run), (RankChoice{{0, 7}, {4, 4}}));
}

// The ends are a kind of two ranks, and 1 to 6 one of six, of which 4 is the middle.
TEST(ChooseFewRanks, TakesOneOfTheLargestKinds) {
  const core::Run run = line_of(8);
  EXPECT_EQ(choose_few_ranks(8, &run, 1), (RankChoice{{4}, {8}}));
  EXPECT_EQ(choose_few_ranks(8, &run, 2), (RankChoice{{4, 7}, {6, 2}}));
  EXPECT_EQ(choose_few_ranks(8, &run, 4), (RankChoice{{4, 7}, {6, 2}}));
}

TEST(AssignRanks, LetsEveryRankBeStoodForByTheOneMostLikeIt) {
  // 0 is an end, 3 is between the ends: 0 stands for both ends.
  const core::Run run = line_of(8);
  EXPECT_EQ(assign_ranks(8, &run, {3, 0}), (RankChoice{{0, 3}, {2, 6}}));
}

}  // namespace
}  // namespace scalediag::counters
