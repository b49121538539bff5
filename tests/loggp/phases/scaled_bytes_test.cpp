// What messages carry.
#include <gtest/gtest.h>

#include "loggp/phases/equations/value_doubts.h"
#include "loggp/phases/scaling_model.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// A box of 36^3 elements in diagonals of cells, as in the multipartitioned programs of the NAS benchmarks: rank (x, y)
// of s x s has the cells (x + c, y - c, c), and cells at a coordinate below 36 mod s are one element larger. Before the
// sweeps each rank sends two elements deep faces across the first axis, 16 B an element, from all cells that have a
// neighbour there; then the layers across it are swept, each cell sending 8 B for the elements of its face without the
// border of the box.
RankTrace multipartition(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int x = rank % side, y = rank / side;
  const auto wrapped = [side](int at) { return (at + side) % side; };
  const auto size = [side](int at) { return 36 / side + (at < 36 % side ? 1 : 0); };
  const auto inner = [&](int at) { return size(at) - (at == 0 ? 1 : 0) - (at == side - 1 ? 1 : 0); };
  const int east = wrapped(x + 1) + side * y, west = wrapped(x - 1) + side * y;
  uint64_t to_east = 0, to_west = 0;
  for (int c = 0; c < side; ++c) {
    const auto bytes = static_cast<uint64_t>(16 * size(wrapped(y - c)) * size(c));
    if (wrapped(x + c) != side - 1) to_east += bytes;
    if (wrapped(x + c) != 0) to_west += bytes;
  }
  // The cell of a rank in a layer across the first axis has c = layer - x.
  const auto swept = [&](int layer) {
    const int c = wrapped(layer - x);
    return static_cast<uint64_t>(8 * inner(wrapped(y - c)) * inner(c));
  };
  Script s(ranks, rank);
  s.message(EventKind::kIrecv, east, to_east, 1, 0);
  s.message(EventKind::kIrecv, west, to_west, 2, 1);
  s.message(EventKind::kSend, west, to_west, 1);
  s.message(EventKind::kSend, east, to_east, 2);
  s.wait();
  for (int layer = 0; layer + 1 < side; ++layer) {
    s.message(EventKind::kSend, east, swept(layer), 3);
    s.message(EventKind::kIrecv, west, swept(layer + 1), 3);
    s.wait();
  }
  s.allreduce(8);
  s.repeat(0, 50);
  return s.trace;
}

// Of 25 = 5 x 5 ranks cells have sides of 8, 7, 7, 7 and 7, which no measured scale shows: 36 / 2, 36 / 3 and 36 / 4
// are even. That is told as one of several.
TEST(ScaledBytes, DiagonalsOfCells) {
  EXPECT_EQ(share_at(multipartition, {4, 9, 16}, 25), 1);
  EXPECT_EQ(share_at(multipartition, {4, 9, 16, 25}, 36), 1);
  const ScalingModel model = made(multipartition, {4, 9, 16}, 25);
  EXPECT_EQ(model.regular_events, model.events);
  EXPECT_LT(model.certain_events, model.events);
}

// As BT and SP of the NAS benchmarks: one rank has nobody to talk to, and stages send buffers that hold any cell with
// an element more along both sides.
RankTrace multipartition_from_one(int ranks, int rank) {
  if (ranks > 1) {
    RankTrace trace = multipartition(ranks, rank);
    int side = 1;
    while (side * side < ranks) ++side;
    for (TraceEvent& e : trace.events) {
      if (e.tag == 3) e.bytes = static_cast<uint64_t>(8 * (36 / side + 1) * (36 / side + 1));
    }
    return trace;
  }
  Script s(ranks, rank);
  s.allreduce(8);
  s.repeat(0, 50);
  return s.trace;
}

// Stages are 0, 1 and 2, which is the side of the plane less one; two numbers would leave that open. Buffers are 8 B
// for 19^2 and 13^2 elements on 4 and 9 ranks: 36 elements along a side and one more, but also 39 rounded down, which
// would be 9^2 in place of 10^2 on 16. A program divides one box, and that of its faces has 36.
TEST(ScaledBytes, OneRankTellsHowStagesGrowAndFacesHowManyElementsThereAre) {
  EXPECT_EQ(share_at(multipartition_from_one, {1, 4, 9}, 16), 1);
  const ScalingModel model = made(multipartition_from_one, {1, 4, 9}, 16);
  EXPECT_EQ(model.regular_events, model.events);
  EXPECT_TRUE(is_told(model, "8 (block of 39 along side 1 of a plane, rounded down)"));
  const ScalingModel without_one = made(multipartition_from_one, {4, 9}, 16);
  EXPECT_LT(without_one.regular_events, without_one.events);
}

// Messages to the south are there on 4 = 2 x 2 and 8 = 4 x 2 ranks only, 3840 and 1920 bytes: 7680 / x, and 15360 / P
// as well. Those to the east are 7680, 3840 and 3840 bytes on 2, 4 and 8 ranks, which is 7680 / y and nothing over P.
// The hypothesis that holds along both sides is taken, and the other is told: 15360 / 16 = 960 in place of 7680 / 4 =
// 1920.
TEST(ScaledBytes, WhatTwoScalesLeaveOpenIsToldAndTakenAsAlongTheOtherSide) {
  const ScalingModel model = made(wavefront, {2, 4, 8}, 16);
  EXPECT_TRUE(is_told(model, "is 960 instead of 1920 on 16 ranks"));
  EXPECT_EQ(model.regular_events, model.events);
  EXPECT_LT(model.certain_events, model.events);
}

// 100 columns along the rows of a plane: 100/1, 50 and 25 columns on 1, 4 and 16 ranks, and on 64 = 8 x 8 13 on the
// first 4 of a row and 12 on the others.
RankTrace uneven(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int x = rank % side, y = rank / side;
  const auto columns = static_cast<uint64_t>(100 / side + (x < 100 % side ? 1 : 0));
  Script s(ranks, rank);
  s.message(EventKind::kRecv, y > 0 ? rank - side : kNobody, 8 * columns);
  s.message(EventKind::kSend, y + 1 < side ? rank + side : kNobody, 8 * columns);
  s.allreduce(8);
  return s.trace;
}

TEST(ScaledBytes, BlocksThatBecomeUnevenAreAssumedAndTold) {
  EXPECT_EQ(share_at(uneven, {4, 16}, 64), 1);
  EXPECT_TRUE(is_told(made(uneven, {4, 16}, 64), "blocks are even on all measured scales and not on 64 ranks"));
}

// On 9 = 3 x 3 ranks blocks of 34, 33 and 33 columns are measured; on 49 = 7 x 7 there are 15, 15 and five of 14.
TEST(ScaledBytes, BlocksThatAreUnevenWhereMeasured) { EXPECT_EQ(share_at(uneven, {4, 9, 16, 36}, 49), 1); }

// 24 rows on sides of 2, 3 and 4 ranks are even. 9600 / 5 is a whole number of 8 bytes, but no measured side had 5
// ranks: that blocks are even there is told as an assumption.
RankTrace even(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int y = rank / side;
  Script s(ranks, rank);
  s.message(EventKind::kRecv, y > 0 ? rank - side : kNobody, static_cast<uint64_t>(9600 / side));
  s.message(EventKind::kSend, y + 1 < side ? rank + side : kNobody, static_cast<uint64_t>(9600 / side));
  return s.trace;
}

TEST(ScaledBytes, SidesWithNewPrimeFactorsAreTold) {
  EXPECT_TRUE(is_told(made(even, {4, 9, 16}, 25), "nothing says that blocks are even on"));
  EXPECT_FALSE(is_told(made(even, {4, 9, 16}, 36), "nothing says that blocks are even on"));
}

// What goes to whom depends on the data; the rest is regular.
RankTrace sorting(int ranks, int rank) {
  Script s(ranks, rank);
  s.allreduce(8);
  s.exchange(100 + 7 * static_cast<uint64_t>(rank * rank % 5));
  return s.trace;
}

TEST(ScaledBytes, ExchangesOfDataAreNeverRegular) {
  const ScalingModel model = made(sorting, {2, 4, 8}, 16);
  EXPECT_EQ(2 * model.regular_events, model.events);
  EXPECT_TRUE(is_told(model, "depend on the data; used instead: about"));
}

// A ring of 4096 numbers, of which a rank has 4096 / P, and what is left over is nobody's; and of 1000, of which the
// first ranks have one more.
TEST(ScaledBytes, BlocksOfAllRanksThatAreNotEven) {
  for (const bool is_rounded_down : {true, false}) {
    const RankOf ring = [is_rounded_down](int ranks, int rank) {
      const auto bytes_of = [&](int r) {
        return static_cast<uint64_t>(is_rounded_down ? 8 * (4096 / ranks) : 8 * (1000 / ranks + (r < 1000 % ranks)));
      };
      const int before = (rank + ranks - 1) % ranks;
      Script s(ranks, rank);
      s.message(EventKind::kSend, (rank + 1) % ranks, bytes_of(rank), 7);
      s.message(EventKind::kRecv, before, bytes_of(before), 7);
      s.repeat(0, 20);
      return s.trace;
    };
    EXPECT_EQ(share_at(ring, {2, 3, 4}, 6), 1) << is_rounded_down;
    EXPECT_EQ(share_at(ring, {2, 3, 4}, 16), 1) << is_rounded_down;
  }
}

// 64 bytes divided among all ranks, which send theirs along a line: 32, 16 and 8 where they were measured, and 4 on 16
// ranks. Elements may have 8 bytes.
TEST(ScaledBytes, SharesOfAllRanksThatMayBePartsOfElements) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.message(EventKind::kRecv, rank > 0 ? rank - 1 : kNobody, static_cast<uint64_t>(64 / ranks), 1);
    s.message(EventKind::kSend, rank + 1 < ranks ? rank + 1 : kNobody, static_cast<uint64_t>(64 / ranks), 1);
    s.repeat(0, 10);
    return s.trace;
  };
  EXPECT_EQ(share_at(program, {2, 4, 8}, 16), 1);
  EXPECT_TRUE(is_told(made(program, {2, 4, 8}, 16), "more ranks than elements"));
  EXPECT_FALSE(is_told(made(program, {2, 4}, 8), "more ranks than elements"));
}

// A line through two values meets them whatever they are.
TEST(ValueDoubts, AsManyCoefficientsAsValuesConfirmNothing) {
  ValueHypothesis line = ValueHypothesis::constant(8);
  line.terms.push_back({1, 4, 0});  // 8 + 4 log2 P
  EXPECT_NE(unconfirmed(line, {{2, 0, 12}, {4, 0, 16}}), "");
  EXPECT_EQ(unconfirmed(line, {{2, 0, 12}, {4, 0, 16}, {8, 0, 20}}), "");
  EXPECT_EQ(unconfirmed(ValueHypothesis::constant(8), {{2, 0, 8}, {4, 0, 8}}), "");
}

}  // namespace
}  // namespace scalediag::loggp
