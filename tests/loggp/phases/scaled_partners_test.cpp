// Whom ranks talk to, in which order, and what they wait for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "loggp/phases/scaling_model.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

TEST(ScaledPartners, OpenGridWithBorders) {
  EXPECT_EQ(share_at(wavefront, {2, 4, 8}, 16), 1);
  EXPECT_EQ(share_at(wavefront, {2, 4, 8, 16}, 64), 1);
}

// A shift upwards with one tag and one downwards with another. The first and the last rank have nobody on one side of
// each, which has no tag and no bytes there.
TEST(ScaledPartners, BordersOfShifts) {
  const RankOf shifts = [](int ranks, int rank) {
    const int below = rank > 0 ? rank - 1 : kNobody, above = rank + 1 < ranks ? rank + 1 : kNobody;
    Script s(ranks, rank);
    s.sendrecv(above, 3, below, 3, 64);
    s.sendrecv(below, 5, above, 5, 64);
    s.repeat(0, 10);
    return s.trace;
  };
  EXPECT_EQ(share_at(shifts, {2, 4, 8}, 32), 1);
  const ScalingModel model = made(shifts, {2, 4, 8}, 32);
  EXPECT_EQ(model.certain_events, model.events);
}

TEST(ScaledPartners, BitExchangeAndTransposition) { EXPECT_EQ(share_at(butterfly, {2, 4, 8}, 16), 1); }

// 64 = 8 x 8 has a third exchange.
TEST(ScaledPartners, ExchangesGrowWithTheSide) { EXPECT_EQ(share_at(butterfly, {2, 4, 8, 16}, 64), 1); }

// Sums along rows that begin with the opposite half, so that the last exchange is that with the neighbour: 4 ranks have
// one, 8 = 4 x 2 two, 64 = 8 x 8 three. The wait for the last one opens the next round, as the recorder folds it.
RankTrace rising(int ranks, int rank) {
  int rows = 1;
  while (4 * rows * rows <= ranks) rows *= 2;
  const int columns = ranks / rows;
  Script s(ranks, rank);
  const auto sum = [&](bool waits_first) {
    int tag = 1;
    for (int distance = columns / 2; distance > 0; distance /= 2, ++tag) {
      if (waits_first || tag > 1) s.wait();
      s.message(EventKind::kIrecv, rank ^ distance, 64, tag);
      s.message(EventKind::kSend, rank ^ distance, 64, tag);
    }
  };
  sum(false);
  const size_t loop = s.trace.steps.size();
  sum(true);
  s.repeat(loop, 5);
  s.wait();
  return s.trace;
}

TEST(ScaledPartners, WaitsGrowWithTheExchangesThatTheyComplete) {
  EXPECT_EQ(share_at(rising, {2, 4, 8, 16}, 64), 1);
  const ScalingModel model = made(rising, {2, 4, 8, 16}, 64);
  EXPECT_EQ(model.regular_events, model.events);
}

// Sums along the first and the last row of a plane of x times y ranks, x >= y, from the east on, then along its first
// and last column from the south on. Where there is one row, it is the first and the last, and the recorder folds its
// two sums, as it does the two Allreduces between which nothing happens there: 2 = 2 x 1, 4 = 2 x 2, 8 = 4 x 2, 16 = 4
// x 4.
RankTrace sums_at_ends(int ranks, int rank) {
  int y = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) y = i;
  }
  const int x = ranks / y, column = rank % x, row = rank / x;
  const int west = column > 0 ? rank - 1 : kNobody, east = column + 1 < x ? rank + 1 : kNobody;
  const int north = row > 0 ? rank - x : kNobody, south = row + 1 < y ? rank + x : kNobody;
  Script s(ranks, rank);
  const auto pass_on = [&](int from, int to, int tag) {
    s.message(EventKind::kIrecv, from, 96, tag);
    if (from != kNobody) s.wait();
    s.message(EventKind::kSend, to, 96, tag);
  };
  s.allreduce(16);
  const size_t along_rows = s.trace.steps.size();
  if (row == 0 || row == y - 1) pass_on(east, west, 1);
  if (y == 1) s.repeat(along_rows, 2);
  const size_t along_columns = s.trace.steps.size();
  s.allreduce(8);
  if (y == 1) {
    s.repeat(along_columns, 2);
    return s.trace;
  }
  if (column == 0 || column == x - 1) pass_on(south, north, 2);
  s.allreduce(8);
  return s.trace;
}

// On 4 and 8 ranks every rank is in the first or in the last row, so that one equation of all ranks meets them; on 16
// the rows between would pass on sums that they do not have.
TEST(ScaledPartners, BothEndsOfASideAreToldApartByAScaleWithOneRankThere) {
  EXPECT_EQ(share_at(sums_at_ends, {2, 4, 8}, 16), 1);
  const ScalingModel model = made(sums_at_ends, {2, 4, 8}, 16);
  EXPECT_EQ(model.regular_events, model.events);
}

// Two messages, of which even ranks await the first and odd ones the second before the others.
RankTrace ambiguous(int ranks, int rank) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  Script s(ranks, rank);
  s.message(EventKind::kIrecv, before, 8, 1, 0);
  s.message(EventKind::kIrecv, before, 8, 1, 1);
  s.message(EventKind::kSend, next, 8, 1);
  s.message(EventKind::kSend, next, 8, 1);
  s.wait(rank % 2 == 0 ? 0 : 1, false);
  s.wait(0, true);
  s.allreduce(8);
  return s.trace;
}

TEST(ScaledPartners, WaitsForDifferentMessagesOnDifferentRanksAreTold) {
  EXPECT_TRUE(is_told(made(ambiguous, {4, 8, 16}, 32), "it waits for different messages on different ranks"));
}

// Stages along the rows of a square plane, with tags that name the cell: 100 + (x + k) mod side.
RankTrace stages(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int x = rank % side, row = rank / side * side;
  Script s(ranks, rank);
  for (int k = 0; k + 1 < side; ++k) {
    s.message(EventKind::kIrecv, row + (x + side - 1) % side, 40, 100 + (x + k) % side);
    s.message(EventKind::kSend, row + (x + 1) % side, 40, 100 + (x + 1 + k) % side);
    s.wait();
  }
  s.allreduce(16);
  return s.trace;
}

TEST(ScaledPartners, StagesThatGrowWithTheSideAndTagsThatTurn) { EXPECT_EQ(share_at(stages, {4, 9, 16}, 36), 1); }

// Halos in a plane of x times y ranks, x >= y: from both ends of each side, then to them. No rank of 2, 4 and 8 has
// both neighbours along y; the order is taken from x.
RankTrace halo2d(int ranks, int rank) {
  int y = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) y = i;
  }
  const int x = ranks / y, column = rank % x, row = rank / x;
  const int west = column > 0 ? rank - 1 : kNobody, east = column + 1 < x ? rank + 1 : kNobody;
  const int north = row > 0 ? rank - x : kNobody, south = row + 1 < y ? rank + x : kNobody;
  Script s(ranks, rank);
  uint32_t request = 0;
  const auto receive = [&](int peer, uint64_t bytes, int tag) {
    s.message(EventKind::kIrecv, peer, bytes, tag, peer == kNobody ? 0 : request++);
  };
  const auto rows = static_cast<uint64_t>(8 * 960 / y), columns = static_cast<uint64_t>(8 * 960 / x);
  receive(east, rows, 7);
  receive(west, rows, 6);
  receive(south, columns, 5);
  receive(north, columns, 4);
  s.message(EventKind::kSend, west, rows, 7);
  s.message(EventKind::kSend, east, rows, 6);
  s.message(EventKind::kSend, north, columns, 5);
  s.message(EventKind::kSend, south, columns, 4);
  s.wait();
  s.repeat(0, 20);
  return s.trace;
}

TEST(ScaledPartners, OrderThatNoScaleShowsIsTakenFromTheOtherSideAndTold) {
  EXPECT_EQ(share_at(halo2d, {2, 4, 8}, 16), 1);
  EXPECT_TRUE(is_told(made(halo2d, {2, 4, 8}, 16), "order: no measured rank has neighbours on both ends of side 2"));
}

// All 26 neighbours in an open cube, each message awaited by itself in the order of the directions. 8 bytes times 6 x 6
// for faces, 6 for edges and 1 for corners.
RankTrace halo3d(int ranks, int rank) {
  int side = 1;
  while (side * side * side < ranks) ++side;
  const std::array<int, 3> at = {rank % side, rank / side % side, rank / side / side};
  Script s(ranks, rank);
  const auto each = [&](const auto& visit) {
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const std::array<int, 3> to = {at[0] + x, at[1] + y, at[2] + z};
          if ((x == 0 && y == 0 && z == 0) || *std::min_element(to.begin(), to.end()) < 0 ||
              *std::max_element(to.begin(), to.end()) >= side) {
            continue;
          }
          const int away = std::abs(x) + std::abs(y) + std::abs(z);
          visit(to[0] + side * (to[1] + side * to[2]), uint64_t{away == 1 ? 288u : away == 2 ? 48u : 8u});
        }
      }
    }
  };
  uint32_t request = 0;
  each([&](int peer, uint64_t bytes) { s.message(EventKind::kIrecv, peer, bytes, 1, request++); });
  each([&](int peer, uint64_t bytes) { s.message(EventKind::kSend, peer, bytes, 1); });
  for (uint32_t i = 0; i < request; ++i) s.wait(i, i + 1 == request);
  s.repeat(0, 10);
  s.allreduce(8);
  return s.trace;
}

TEST(ScaledPartners, BoxWithAllItsNeighbours) { EXPECT_EQ(share_at(halo3d, {1, 8, 27}, 64), 1); }

// Around a box whose shortest side comes first, as 2 = 1 x 1 x 2, 4 = 1 x 2 x 2, 8, 16 = 2 x 2 x 4: along a side of one
// rank it sends to itself. Faces have layers of neighbours: 8 (32/y) (32/z), 8 (32/x + 2) (32/z), 8 (32/x + 2) (32/y +
// 2).
RankTrace torus(int ranks, int rank) {
  std::array<int, 3> side = {1, 1, 1};
  for (int p = 1, i = 2; p < ranks; p *= 2, i = (i + 2) % 3) side[static_cast<size_t>(i)] *= 2;
  const std::array<int, 3> at = {rank % side[0], rank / side[0] % side[1], rank / side[0] / side[1]};
  Script s(ranks, rank);
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto n = [&](size_t other) { return static_cast<uint64_t>(32 / side[other] + (other < axis ? 2 : 0)); };
    const uint64_t bytes = 8 * n(axis == 0 ? 1 : 0) * n(axis == 2 ? 1 : 2);
    const auto neighbour = [&](int step) {
      std::array<int, 3> to = at;
      to[axis] = (to[axis] + step + side[axis]) % side[axis];
      return to[0] + side[0] * (to[1] + side[1] * to[2]);
    };
    for (const int step : {-1, 1}) {
      s.message(EventKind::kIrecv, neighbour(-step), bytes, static_cast<int>(2 * axis) + (step + 1) / 2);
      s.message(EventKind::kSend, neighbour(step), bytes, static_cast<int>(2 * axis) + (step + 1) / 2);
      s.wait();
    }
  }
  s.repeat(0, 4);
  return s.trace;
}

TEST(ScaledPartners, TorusThatSendsToItselfAndFacesWithLayers) { EXPECT_EQ(share_at(torus, {2, 4, 8}, 16), 1); }

// 2 = 2 x 1, 4 = 2 x 2 and 8 = 4 x 2 have at most two ranks along y, and 16 = 4 x 4 has four.
TEST(ScaledPartners, RanksBetweenOthersThatNoScaleHasAreTold) {
  const std::vector<std::string> lines = unseen_positions(made(wavefront, {2, 4, 8}, 16));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("of 16 ranks 8 do"), std::string::npos) << lines[0];
  EXPECT_TRUE(unseen_positions(made(wavefront, {4, 16}, 64)).empty());
}

}  // namespace
}  // namespace scalediag::loggp
