// Programs whose equations are of one grid on the measured scales, and of two on a larger one.
#include "loggp/phases/grid_agreement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loggp/phases/scaling_model.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// Blocks of 384 x 384 cells on 2 x 1, 2 x 2, 2 x 4 and 4 x 4 ranks, as CloverLeaf divides them: neighbours send a side
// with the cells of its ends. On 2 ranks the pair is side 1 of a box and of no plane with the shorter side first, of
// which 4, 8 and 16 ranks are; on 64 ranks that box is 4 x 4 x 4, and the plane 8 x 8.
RankTrace halo_of_a_plane(int ranks, int rank) {
  int x = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) x = i;
  }
  if (ranks < 4) x = ranks;
  const int y = ranks / x, at_x = rank % x, at_y = rank / x;
  Script s(ranks, rank);
  const auto neighbour = [&](bool is_there, int other, uint64_t cells) {
    if (!is_there) return;
    s.message(EventKind::kSend, other, 8 * (5 + cells));
    s.message(EventKind::kRecv, other, 8 * (5 + cells));
  };
  neighbour(at_x > 0, rank - 1, static_cast<uint64_t>(384 / y));
  neighbour(at_x + 1 < x, rank + 1, static_cast<uint64_t>(384 / y));
  s.allreduce(8);
  neighbour(at_y > 0, rank - x, static_cast<uint64_t>(384 / x));
  neighbour(at_y + 1 < y, rank + x, static_cast<uint64_t>(384 / x));
  s.allreduce(8);
  return s.trace;
}

TEST(GridAgreement, AScaleOfAnotherGridIsLeftOut) {
  EXPECT_EQ(share_at(halo_of_a_plane, {2, 4, 8, 16}, 64), 1);
  const ScalingModel model = made(halo_of_a_plane, {2, 4, 8, 16}, 64);
  EXPECT_EQ(model.scales, (std::vector<int>{4, 8, 16}));
  EXPECT_NE(model.geometry.find("the traces of 2 ranks are left out"), std::string::npos) << model.geometry;
  EXPECT_TRUE(is_told(model, "2 coefficients for 2 different values"));
  EXPECT_EQ(made(halo_of_a_plane, {4, 8, 16}, 64).geometry, "");
}

// Conjugate gradients: 20 rounds of a message to the next rank of a ring and two sums, after one sum and before a
// longer one. A rank alone has sums only, of which the first 41 are one loop instead of one and 20 rounds of two.
RankTrace rounds_of_several(int ranks, int rank) {
  Script s(ranks, rank);
  s.allreduce(8);
  if (ranks > 1) {
    s.message(EventKind::kSend, (rank + 1) % ranks, 8);
    s.message(EventKind::kRecv, (rank + ranks - 1) % ranks, 8);
    s.allreduce(8);
    s.allreduce(8);
    s.repeat(1, 20);
  } else {
    s.repeat(0, 41);
  }
  s.allreduce(24);
  return s.trace;
}

TEST(GridAgreement, ARankAloneThatDoesOtherThingsIsLeftOut) {
  const ScalingModel model = made(rounds_of_several, {1, 2, 4, 8}, 64);
  EXPECT_EQ(model.scales, (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(model.geometry.find("the traces of 1 rank are left out, since with them "), 0U) << model.geometry;
  // Collectives are the same on a rank alone.
  const RankOf sums = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.allreduce(8);
    return s.trace;
  };
  EXPECT_EQ(made(sums, {1, 2, 4, 8}, 64).scales, (std::vector<int>{1, 2, 4, 8}));
}

// Without 2 ranks there are still 3 in a row.
TEST(GridAgreement, AContradictionIsNotRegular) {
  const ScalingModel model = made(halo_of_a_plane, {2, 3, 8, 16}, 64);
  EXPECT_EQ(model.scales, (std::vector<int>{2, 3, 8, 16}));
  EXPECT_NE(model.geometry.find("sides of different grids (4 x 4 x 4, 8 x 8)"), std::string::npos) << model.geometry;
  EXPECT_TRUE(is_told(model, "different grids"));
  // On 16 ranks 48 messages, each sent and received, and two sums of all 16.
  EXPECT_EQ(model.events, 2u * 48 + 2 * 16);
  EXPECT_EQ(model.regular_events, 2u * 16);
}

}  // namespace
}  // namespace scalediag::loggp
