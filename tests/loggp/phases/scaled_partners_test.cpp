// Whom ranks talk to, in which order, and what they wait for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "loggp/phases/program_phases.h"
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

// Five rounds of XOR 1, 2, 4, ... along all ranks. 64 ranks have six exchanges in a round, 16 have four.
RankTrace butterfly_of_all(bool is_sendrecv, bool has_a_tag_each, int ranks, int rank) {
  Script s(ranks, rank);
  int tag = 7;
  for (int mask = 1; mask < ranks; mask *= 2, tag += has_a_tag_each ? 1 : 0) {
    if (is_sendrecv) {
      s.sendrecv(rank ^ mask, tag, rank ^ mask, tag, 512);
    } else {
      s.message(EventKind::kIrecv, rank ^ mask, 512, tag);
      s.message(EventKind::kSend, rank ^ mask, 512, tag);
      s.wait();
    }
  }
  s.allreduce(8);
  s.repeat(0, 5);
  return s.trace;
}

TEST(ScaledPartners, ExchangesWithSendrecvGrowWithTheRanks) {
  for (const bool is_sendrecv : {true, false}) {
    for (const bool has_a_tag_each : {true, false}) {
      const RankOf program = [&](int ranks, int rank) {
        return butterfly_of_all(is_sendrecv, has_a_tag_each, ranks, rank);
      };
      EXPECT_EQ(share_at(program, {2, 4, 8, 16}, 64), 1) << is_sendrecv << has_a_tag_each;
      EXPECT_EQ(share_at(program, {2, 4, 8}, 16), 1) << is_sendrecv << has_a_tag_each;
    }
  }
}

// An all-gather by recursive doubling: what is sent doubles with each exchange, from 4096 / P bytes or 64 on. Then the
// same backwards, a reduce-scatter.
TEST(ScaledPartners, ExchangesWhoseBytesDouble) {
  for (const bool is_strong : {true, false}) {
    const RankOf program = [&](int ranks, int rank) {
      Script s(ranks, rank);
      const auto exchange = [&](int mask, int tag) {
        const auto bytes = static_cast<uint64_t>((is_strong ? 4096 / ranks : 64) * mask);
        s.sendrecv(rank ^ mask, tag, rank ^ mask, tag, bytes);
      };
      for (int mask = 1; mask < ranks; mask *= 2) exchange(mask, 3);
      s.allreduce(8);
      for (int mask = ranks / 2; mask > 0; mask /= 2) exchange(mask, 4);
      s.allreduce(8);
      s.repeat(0, 5);
      return s.trace;
    };
    EXPECT_EQ(share_at(program, {2, 4, 8, 16}, 64), 1) << is_strong;
  }
}

// Two exchanges on 4 ranks, of 64 bytes each, and of 64 and 128: two sizes have any ratio, also where the first message
// of each has the same size. So there is no third one on 8 ranks, of which nobody would know the bytes.
TEST(ScaledPartners, TwoExchangesOfDifferentSizesAreNoChain) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    for (int mask = 1; mask < ranks; mask *= 2) {
      s.sendrecv(rank ^ mask, 1, rank ^ mask, 1, 64);
      s.sendrecv(rank ^ mask, 2, rank ^ mask, 2, static_cast<uint64_t>(64 * mask));
    }
    s.allreduce(8);
    s.repeat(0, 5);
    return s.trace;
  };
  const ScaledTraces scaled(made(program, {2, 4}, 8), 8);
  for (const TraceEvent& event : scaled.rank(0).events) EXPECT_NE(event.peer, 4) << event.bytes;
}

// 16 = 4 x 4 ranks are the only ones with XOR 8, which is an exchange of half a row as well, and most messages of the
// program go along the sides of its plane.
TEST(ScaledPartners, ExchangesOfAllRanksBesideAPlane) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.trace = wavefront(ranks, rank);
    const size_t from = s.trace.steps.size();
    for (int mask = 1; mask < ranks; mask *= 2) s.sendrecv(rank ^ mask, 3, rank ^ mask, 3, 512);
    s.allreduce(8);
    s.repeat(from, 5);
    return s.trace;
  };
  EXPECT_EQ(share_at(program, {2, 4, 8, 16}, 64), 1);
}

// A master sends each worker a task of 64 bytes and receives 32 from each, five times.
RankTrace master(bool is_immediate, int ranks, int rank) {
  Script s(ranks, rank);
  const auto each = [&](EventKind kind, uint64_t bytes, int tag) {
    if (rank > 0) s.message(kind, 0, bytes, tag);
    for (int worker = 1; rank == 0 && worker < ranks; ++worker) {
      s.message(kind, worker, bytes, tag, static_cast<uint32_t>(worker - 1));
    }
  };
  if (rank == 0) each(EventKind::kSend, 64, 1);
  each(rank > 0       ? EventKind::kRecv
       : is_immediate ? EventKind::kIrecv
                      : EventKind::kRecv,
       rank > 0 ? 64 : 32, rank > 0 ? 1 : 2);
  if (rank > 0) each(EventKind::kSend, 32, 2);
  if (rank == 0 && is_immediate) s.wait();
  s.repeat(0, 5);
  return s.trace;
}

TEST(ScaledPartners, AMasterTalksToEachWorker) {
  for (const bool is_immediate : {false, true}) {
    const RankOf program = [&](int ranks, int rank) { return master(is_immediate, ranks, rank); };
    EXPECT_EQ(share_at(program, {2, 4, 8}, 16), 1) << is_immediate;
    EXPECT_EQ(share_at(program, {3, 5}, 20), 1) << is_immediate;
    const ScalingModel model = made(program, {2, 4, 8}, 16);
    EXPECT_EQ(model.regular_events, model.events);
  }
}

// On a torus in a plane each rank receives from below and sends upwards along the shorter side, with one tag for all
// messages; then the same downwards. Along a side of two ranks both neighbours are the same one, so that 2, 4 and 8
// ranks leave open which message goes where on 16 = 4 x 4. Whatever is taken, what is sent there is received.
TEST(ScaledPartners, WhatIsSentIsReceivedWhereDirectionsAreOpen) {
  for (const bool receives_opposite_first : {false, true}) {
    const RankOf program = [&](int ranks, int rank) {
      int y = 1;
      while (4 * y * y <= ranks) y *= 2;
      const auto beside = [&](int step) { return rank / y * y + (rank % y + step + y) % y; };
      Script s(ranks, rank);
      s.message(EventKind::kIrecv, y > 1 ? beside(receives_opposite_first ? 1 : -1) : kNobody, 64, 9, 0);
      s.message(EventKind::kIrecv, y > 1 ? beside(receives_opposite_first ? -1 : 1) : kNobody, 64, 9, 1);
      s.message(EventKind::kSend, y > 1 ? beside(1) : kNobody, 64, 9);
      s.message(EventKind::kSend, y > 1 ? beside(-1) : kNobody, 64, 9);
      if (y > 1) s.wait();
      s.allreduce(8);
      s.repeat(0, 5);
      return s.trace;
    };
    const ScaledTraces scaled(made(program, {2, 4, 8}, 16), 16);
    EXPECT_EQ(scaled.unmatched().messages, 0u) << receives_opposite_first;
    EXPECT_EQ(scaled.left_out().messages, 0u) << receives_opposite_first;
  }
}

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

// The same twice: a second wait of the same routine and phase, or another place, has the reason told once.
TEST(ScaledPartners, EachReasonIsToldOnce) {
  const auto twice = [](int ranks, int rank) {
    RankTrace trace = ambiguous(ranks, rank);
    const RankTrace once = trace;
    trace.steps.insert(trace.steps.end(), once.steps.begin(), once.steps.end());
    return trace;
  };
  std::set<std::pair<bool, std::string>> reasons;
  for (const Uncertainty& it : uncertainties_of(made(twice, {4, 8, 16}, 32))) {
    EXPECT_TRUE(reasons.emplace(it.is_irregular, it.text.substr(it.text.find(": "))).second) << it.text;
  }
  EXPECT_FALSE(reasons.empty());
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

// On 4 ranks the next one is the third one before, too: of what meets the source the destination that sends to it, and
// the shortest way.
TEST(ScaledPartners, ASendrecvSendsWhatItsSourceSends) {
  const RankOf ring = [](int ranks, int rank) {
    Script s(ranks, rank);
    if (ranks > 1) s.sendrecv((rank + 1) % ranks, 7, (rank + ranks - 1) % ranks, 7, 64);
    s.allreduce(8);
    s.repeat(0, 10);
    return s.trace;
  };
  EXPECT_EQ(share_at(ring, {1, 2, 4}, 16), 1);
  EXPECT_EQ(share_at(ring, {2, 3, 4}, 16), 1);
}

// Of two ranks, and along a side of 2 x 2, it is an exchange as well as a step around: destination and source are the
// same.
TEST(ScaledPartners, ASendrecvWithTheRankItReceivesFromIsAnExchange) {
  const RankOf exchange = [](int ranks, int rank) {
    Script s(ranks, rank);
    if (ranks > 1) s.sendrecv(rank ^ 1, 1, rank ^ 1, 1, 64);
    s.repeat(0, 10);
    return s.trace;
  };
  EXPECT_EQ(share_at(exchange, {1, 2, 4}, 16), 1);
}

// Ranks of a torus of rows by columns, rows <= columns, shift along both sides. 2 = 1 x 2, 4 = 2 x 2: up or down is
// left open, but everything that is sent is received.
TEST(ScaledPartners, ShiftsOnATorusAreAllReceived) {
  const RankOf shifts = [](int ranks, int rank) {
    int rows = 1;
    while (4 * rows * rows <= ranks) rows *= 2;
    const int columns = ranks / rows, row = rank / columns, column = rank % columns;
    const auto at = [&](int r, int c) { return (r + rows) % rows * columns + (c + columns) % columns; };
    Script s(ranks, rank);
    s.sendrecv(at(row + 1, column), 0, at(row - 1, column), 0, 512);
    s.sendrecv(at(row, column + 1), 0, at(row, column - 1), 0, 512);
    s.repeat(0, 10);
    return s.trace;
  };
  const ScaledTraces scaled(made(shifts, {2, 4}, 64), 64);
  EXPECT_EQ(scaled.unmatched().messages + scaled.left_out().messages, 0u);
  EXPECT_EQ(share_at(shifts, {2, 4}, 64), 1);
}

// A sum of all after each tenth of 100 shifts, the first after the first. One rank has no shifts, so that the recorder
// folds ten sums; on more ranks the last of them is followed by nine shifts only, and is outside of the loop.
TEST(ScaledPartners, OneRankThatIsFoldedOtherwiseDoesNotChangeRepetitions) {
  const RankOf folded = [](int ranks, int rank) {
    Script s(ranks, rank);
    const auto shifts = [&](uint64_t n) {
      const size_t from = s.trace.steps.size();
      if (ranks > 1) s.sendrecv((rank + 1) % ranks, 7, (rank + ranks - 1) % ranks, 7, 64);
      if (n > 1) s.repeat(from, n);
    };
    shifts(1);
    const size_t loop = s.trace.steps.size();
    s.allreduce(8);
    shifts(10);
    s.repeat(loop, ranks > 1 ? 9 : 10);
    if (ranks > 1) {
      s.allreduce(8);
      shifts(9);
    }
    return s.trace;
  };
  EXPECT_EQ(share_at(folded, {1, 2, 4}, 16), 1);
  EXPECT_EQ(made(folded, {1, 2, 4}, 16).geometry.find("the traces of 1 rank are left out"), 0u);
}

// 2 = 2 x 1, 4 = 2 x 2 and 8 = 4 x 2 have at most two ranks along y, and 16 = 4 x 4 has four.
TEST(ScaledPartners, RanksBetweenOthersThatNoScaleHasAreTold) {
  const std::vector<std::string> lines = unseen_positions(made(wavefront, {2, 4, 8}, 16));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("of 16 ranks 8 do"), std::string::npos) << lines[0];
  EXPECT_TRUE(unseen_positions(made(wavefront, {4, 16}, 64)).empty());
}

}  // namespace
}  // namespace scalediag::loggp
