#include "loggp/phases/equations/rank_deviation.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace scalediag::loggp {
namespace {

using OfRank = std::function<double(const core::ProcessGrid& grid, int ranks, int rank)>;
constexpr core::GridKind kPlane = core::GridKind::kPlaneFalling;

std::vector<double> all_of(const OfRank& function, int ranks) {
  std::vector<double> values;
  for (int rank = 0; rank < ranks; ++rank) values.push_back(function(process_grid(kPlane, ranks), ranks, rank));
  return values;
}

// The deviation of 16 ranks from their mean, from 2, 4 and 8 ranks, against that of the function, in parts of its mean.
double worst_error(const OfRank& function) {
  std::vector<ValueSample> samples;
  for (const int ranks : {2, 4, 8}) {
    const std::vector<double> values = all_of(function, ranks);
    for (int rank = 0; rank < ranks; ++rank) samples.push_back({ranks, rank, values[static_cast<size_t>(rank)]});
  }
  const std::vector<double> found = RankDeviation::of(samples, kPlane).at(16), values = all_of(function, 16);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 16;
  double worst = 0;
  for (size_t i = 0; i < 16; ++i) worst = std::max(worst, std::abs(mean + found[i] - values[i]) / mean);
  return worst;
}

// 1e6 cells and, towards each neighbour, 1000 of them once more along the border: a rank at an end has fewer. Of 16 = 4
// x 4 ranks the four inside lie between others along both sides, which no rank of 2 x 1, 2 x 2 and 4 x 2 does.
TEST(RankDeviation, RanksAtABorderHaveLessToDoThere) {
  const auto of_rank = [](const core::ProcessGrid& grid, int ranks, int rank) {
    const auto at = grid.coordinates(rank);
    double value = 1e6 / ranks;
    for (size_t side = 0; side < 2; ++side) {
      const double border = 1000.0 / grid.sides[1 - side];
      if (at[side] > 0) value += border;
      if (at[side] + 1 < grid.sides[side]) value += border;
    }
    return value;
  };
  EXPECT_LT(worst_error(of_rank), 1e-9);
}

// A matrix in blocks whose diagonal has 40000 elements more than the 1e6 others: of 16 blocks four have 10000 of them,
// which is 15 % of their 62500.
TEST(RankDeviation, BlocksOnTheDiagonalHaveMoreToDo) {
  const auto of_rank = [](const core::ProcessGrid& grid, int ranks, int rank) {
    const auto at = grid.coordinates(rank);
    // The diagonal in units of 1 / 8 of a side, which all blocks are multiples of.
    int on_diagonal = 0;
    for (int i = 0; i < 8; ++i) {
      if (i * grid.sides[0] / 8 == at[0] && i * grid.sides[1] / 8 == at[1]) ++on_diagonal;
    }
    return 1e6 / ranks + 40000.0 * on_diagonal / 8;
  };
  EXPECT_LT(worst_error(of_rank), 1e-9);
}

// Differences of 1 % that have nothing to do with the place: ranks are taken to be alike, and 16 of them differ by as
// much as the measured ones do.
TEST(RankDeviation, ChanceIsNoPlace) {
  std::mt19937 random(3);
  int told = 0;
  for (int experiment = 0; experiment < 50; ++experiment) {
    std::vector<ValueSample> samples;
    for (const int ranks : {2, 4, 8}) {
      for (int rank = 0; rank < ranks; ++rank) {
        samples.push_back({ranks, rank, 1e6 / ranks * (1 + 0.01 * (static_cast<double>(random() % 2001) / 1000 - 1))});
      }
    }
    for (const double value : RankDeviation::of(samples, kPlane).at(16)) {
      if (value != 0) {
        ++told;
        break;
      }
    }
  }
  EXPECT_LE(told, 5);
}

TEST(RankDeviation, OneValueTellsNothing) {
  EXPECT_EQ(RankDeviation::of({{4, 0, 1e6}}, kPlane).at(8), std::vector<double>(8, 0.0));
  EXPECT_EQ(RankDeviation::of({}, kPlane).at(2), std::vector<double>(2, 0.0));
}

}  // namespace
}  // namespace scalediag::loggp
