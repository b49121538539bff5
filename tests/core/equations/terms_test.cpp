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

// What all ranks have of P alone is P times what one has.
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
  EXPECT_EQ(compared, 5U);  // 1, log2 P, 1/P, P, P^(-1/2)
}

// 12 ranks are 4 x 3; rank 7 is at (3, 1).
TEST(Terms, OfAPlaceAreAlongTheSidesOfTheGrid) {
  EXPECT_EQ(term_named("/side 2 of a plane").at(12, 7), 1.0 / 3);
  EXPECT_EQ(term_named(" side 1 of a plane").at(12, 7), 4);
  EXPECT_EQ(term_named(" [last along side 1 of a plane]").at(12, 7), 1);
  EXPECT_EQ(term_named(" [first along side 1 of a plane]").at(12, 7), 0);
  EXPECT_EQ(term_named(" [first along side 2 of a plane]").at(12, 3), 1);
}

// 1, 1/P and one over each side; in a box also one over each two of the three, 32 = 4 x 4 x 2.
TEST(Terms, OfMeansHaveTheSidesOfOneGrid) {
  EXPECT_EQ(mean_terms(GridKind::kLine).size(), 2U);
  EXPECT_EQ(mean_terms(GridKind::kPlaneRising).size(), 4U);
  const auto box = mean_terms(GridKind::kSpaceFalling);
  ASSERT_EQ(box.size(), 8U);
  EXPECT_EQ(box[4].at(32, 0), 1.0 / 2);
  EXPECT_EQ(box[5].at(32, 0), 1.0 / 16);  // sides but the third
}

TEST(Terms, OfAnotherGridAreMoreComplex) {
  const RankTerm& share = term_named("/side 2 of a plane");
  EXPECT_LT(share.complexity(GridKind::kPlaneFalling), share.complexity(GridKind::kSpaceFalling));
}

}  // namespace
}  // namespace scalediag::core
