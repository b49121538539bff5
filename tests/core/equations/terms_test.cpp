// Terms at numbers of ranks where their values follow by hand.
#include "core/equations/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace scalediag::core {
namespace {

const RankTerm& term_named(const std::string& text) {
  const auto& all = rank_terms();
  return *std::find_if(all.begin(), all.end(), [&](const RankTerm& t) { return t.text() == text; });
}

// Users find terms by what they are called.
TEST(Terms, HaveDifferentNames) {
  std::set<std::string> names, sums;
  for (const RankTerm& term : rank_terms()) EXPECT_TRUE(names.insert(term.text()).second) << term.text();
  for (const Term* row : terms_for(kOfSums)) EXPECT_TRUE(sums.insert(row->name_of_sum).second) << row->name_of_sum;
}

TEST(Terms, TheFirstOfRanksIsTheConstant) {
  EXPECT_EQ(rank_terms().front().role(), Role::kConstant);
  EXPECT_EQ(rank_terms().front().at(12, 5), 1);
}

// All ranks have P times as much of a term of P alone as one has.
TEST(Terms, ASumIsThatOverTheRanks) {
  size_t compared = 0;
  for (const RankTerm& term : rank_terms()) {
    if ((term.row->uses & kOfSums) == 0) continue;
    for (const int ranks : {1, 2, 12, 64}) {
      double sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += term.at(ranks, rank);
      EXPECT_NEAR(term.row->total(ranks), sum, 1e-9 * sum) << term.row->name_of_sum;
    }
    ++compared;
  }
  EXPECT_GE(compared, 5U);  // 1, 1/P, log2 P, P^(-1/2), P
}

// 12 ranks are 4 x 3; rank 7 is at (3, 1).
TEST(Terms, OfAPlaceAreAlongTheSidesOfTheGrid) {
  EXPECT_EQ(term_named("/side 2 of a plane").at(12, 7), 1.0 / 3);
  EXPECT_EQ(term_named(" side 1 of a plane").at(12, 7), 4);
  EXPECT_EQ(term_named(" [last along side 1 of a plane]").at(12, 7), 1);
  EXPECT_EQ(term_named(" [first along side 1 of a plane]").at(12, 7), 0);
  EXPECT_EQ(term_named(" [first along side 2 of a plane]").at(12, 3), 1);
}

// A plane has 1 over each side as well; a box of 32 = 4 x 4 x 2 also 1 over each two of its sides.
TEST(Terms, OfMeansHaveTheSidesOfOneGrid) {
  const size_t of_all_ranks = mean_terms(GridKind::kLine).size();
  EXPECT_EQ(mean_terms(GridKind::kPlaneRising).size(), of_all_ranks + 2);
  const auto box = mean_terms(GridKind::kSpaceFalling);
  ASSERT_EQ(box.size(), of_all_ranks + 6);
  EXPECT_EQ(box[of_all_ranks + 2].at(32, 0), 1.0 / 2);
  EXPECT_EQ(box[of_all_ranks + 3].at(32, 0), 1.0 / 16);  // sides but the third
}

TEST(Terms, OfAnotherGridAreMoreComplex) {
  const RankTerm& share = term_named("/side 2 of a plane");
  EXPECT_LT(share.complexity(GridKind::kPlaneFalling), share.complexity(GridKind::kSpaceFalling));
}

}  // namespace
}  // namespace scalediag::core
