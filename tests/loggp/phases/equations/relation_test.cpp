#include "loggp/phases/equations/relation.h"

#include <gtest/gtest.h>

#include <vector>

namespace scalediag::loggp {
namespace {

std::vector<int> partners(const Relation& relation, int ranks) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(partner(relation, ranks, rank));
  return all;
}

Relation coarse_in_line(RelationKind kind, int bit, int sign, Border border, bool is_last_of_block = true) {
  Relation r;
  r.kind = kind;
  r.bit = bit;
  r.step = {sign, 0, 0};
  r.border = border;
  r.is_last_of_block = is_last_of_block;
  return r;
}

constexpr int kNo = kNobody;

TEST(Vocabulary, FitsIntoItsSet) { EXPECT_LE(vocabulary().size(), kMostRelations); }

// Two of 8 ranks take part: the last ones of blocks of 4 are 3 and 7, the first ones 0 and 4.
TEST(CoarseLevel, NextOfThoseThatTakePart) {
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarse, 1, 1, Border::kOpen), 8),
            (std::vector<int>{kNo, kNo, kNo, 7, kNo, kNo, kNo, kNo}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarse, 1, 1, Border::kAround), 8),
            (std::vector<int>{kNo, kNo, kNo, 7, kNo, kNo, kNo, 3}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarse, 1, -1, Border::kOpen, false), 8),
            (std::vector<int>{kNo, kNo, kNo, kNo, 0, kNo, kNo, kNo}));
}

// A level of 4 ranks is all of 4, and one of one rank is alone.
TEST(CoarseLevel, OfAsManyRanksAsThereAreIsAll) {
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarse, 2, 1, Border::kOpen), 4), (std::vector<int>{1, 2, 3, kNo}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarse, 0, 1, Border::kAround), 4),
            (std::vector<int>{kNo, kNo, kNo, kNo}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarse, 0, 1, Border::kAroundItself), 4),
            (std::vector<int>{kNo, kNo, kNo, 3}));
}

// From 2 to 4 of 8 ranks: 3 and 7 give, 1 and 5 take. On 2 ranks all are in the level of 2 already.
TEST(CoarseLevel, GivesToThoseOfTheNextFinerOne) {
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarseGive, 1, 1, Border::kAround), 8),
            (std::vector<int>{kNo, kNo, kNo, 5, kNo, kNo, kNo, 1}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarseTake, 1, -1, Border::kAround), 8),
            (std::vector<int>{kNo, 7, kNo, kNo, kNo, 3, kNo, kNo}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarseGive, 1, 1, Border::kOpen), 8),
            (std::vector<int>{kNo, kNo, kNo, 5, kNo, kNo, kNo, kNo}));
  EXPECT_EQ(partners(coarse_in_line(RelationKind::kCoarseGive, 1, 1, Border::kAround), 2),
            (std::vector<int>{kNo, kNo}));
}

// 16 = 2 x 2 x 4: at a level of 2 those of 4 take part that are 1 or 3 along the third side, which are the ranks 4 to 7
// and 12 to 15.
TEST(CoarseLevel, OfABoxHasThoseThatTakePartAlongAllSides) {
  Relation r = coarse_in_line(RelationKind::kCoarse, 1, 1, Border::kAround);
  r.grid = core::GridKind::kSpaceRising;
  r.side = 0;
  EXPECT_EQ(partners(r, 16), (std::vector<int>{kNo, kNo, kNo, kNo, 5, 4, 7, 6, kNo, kNo, kNo, kNo, 13, 12, 15, 14}));
  r.side = 2;
  EXPECT_EQ(partners(r, 16), (std::vector<int>{kNo, kNo, kNo, kNo, 12, 13, 14, 15, kNo, kNo, kNo, kNo, 4, 5, 6, 7}));
}

// 12 = 4 x 3: to the next of a row in the first and the last row only, which are the ranks 0 to 3 and 8 to 11.
TEST(OffsetAtEnd, OnlyThoseAtTheEndsOfTheOtherSide) {
  Relation r;
  r.kind = RelationKind::kOffsetAtEnd;
  r.grid = core::GridKind::kPlaneFalling;
  r.step = {1, 0, 0};
  r.side = 1;
  EXPECT_EQ(partners(r, 12), (std::vector<int>{1, 2, 3, kNo, kNo, kNo, kNo, kNo, 9, 10, 11, kNo}));
  r.at_last = false;
  EXPECT_EQ(partners(r, 12), (std::vector<int>{1, 2, 3, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo}));
}

TEST(Relations, CoarseLevelsCountOnlyWhereNothingElseDoes) {
  // On 2 ranks the next one is that of any coarse level as well.
  const RelationSet both = relations_between(2, 0, 1);
  const RelationSet plain = plain_if_any(both);
  EXPECT_LT(plain.count(), both.count());
  for (size_t i = 0; i < vocabulary().size(); ++i) {
    EXPECT_FALSE(plain[i] && is_coarse(vocabulary()[i])) << i;
  }
}

}  // namespace
}  // namespace scalediag::loggp
