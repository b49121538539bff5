// Groups of ranks that communicate alike, in programs whose groups are known.
#include "loggp/representatives/communication_groups.h"

#include <gtest/gtest.h>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

RankGroups groups_on(const RankOf& program, int ranks) {
  const auto model = model_of_run(run(program, ranks));
  EXPECT_TRUE(model);
  return model ? communication_groups(model.value()) : RankGroups{};
}

RankGroups scaled_groups(const RankOf& program, const std::vector<int>& scales, int ranks) {
  return communication_groups(ScaledTraces(made(program, scales, ranks), ranks));
}

// Everybody sends to the next rank; where the line is open the last one sends nothing.
RankTrace shifts(int ranks, int rank, bool is_open) {
  Script s(ranks, rank);
  const auto peer = [&](int other) {
    return is_open && (other < 0 || other >= ranks) ? kNobody : (other + ranks) % ranks;
  };
  s.message(EventKind::kIrecv, peer(rank - 1), 64);
  s.message(EventKind::kSend, peer(rank + 1), 64);
  s.wait();
  s.repeat(0, 5);
  return s.trace;
}
RankTrace ring(int ranks, int rank) { return shifts(ranks, rank, false); }
RankTrace open_line(int ranks, int rank) { return shifts(ranks, rank, true); }

// 16 = 4 x 4: corners, sides without their corners, the inside.
TEST(CommunicationGroups, WavefrontHasNine) {
  const RankGroups nine = {{0}, {1, 2}, {3}, {4, 8}, {5, 6, 9, 10}, {7, 11}, {12}, {13, 14}, {15}};
  EXPECT_EQ(groups_on(wavefront, 16), nine);
  EXPECT_EQ(groups_on(wavefront, 64).size(), 9u);
}

TEST(CommunicationGroups, OpenLineHasThree) {
  EXPECT_EQ(groups_on(open_line, 8), (RankGroups{{0}, {1, 2, 3, 4, 5, 6}, {7}}));
}

TEST(CommunicationGroups, WrapAroundMakesNone) { EXPECT_EQ(groups_on(ring, 8).size(), 1u); }

TEST(CommunicationGroups, ExchangesOfBitsAndTranspositionsMakeNone) {
  EXPECT_EQ(groups_on(butterfly, 8).size(), 1u);
  EXPECT_EQ(groups_on(butterfly, 16).size(), 1u);
}

// The same without any message.
TEST(CommunicationGroups, CollectivesOfAllMakeNone) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.allreduce(8);
    return s.trace;
  };
  EXPECT_EQ(groups_on(program, 6).size(), 1u);
  EXPECT_EQ(groups_on(program, 1).size(), 1u);
}

// Rank 3 sends something else, which rank 4 receives; rank 2 goes round once more.
TEST(CommunicationGroups, OtherSizesTagsAndRepetitionsMakeSome) {
  const RankOf other_size = [](int ranks, int rank) {
    RankTrace trace = ring(ranks, rank);
    if (rank == 3) trace.events[1].bytes = 72;
    if (rank == 4) trace.events[0].bytes = 72;
    return trace;
  };
  EXPECT_EQ(groups_on(other_size, 8), (RankGroups{{0, 1, 2, 5, 6, 7}, {3}, {4}}));
  const RankOf other_tag = [](int ranks, int rank) {
    RankTrace trace = ring(ranks, rank);
    if (rank == 3) trace.events[1].tag = 9;
    if (rank == 4) trace.events[0].tag = 9;
    return trace;
  };
  EXPECT_EQ(groups_on(other_tag, 8), (RankGroups{{0, 1, 2, 5, 6, 7}, {3}, {4}}));
  const RankOf other_rounds = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.allreduce(8);
    s.repeat(0, rank == 2 ? 4 : 3);
    return s.trace;
  };
  EXPECT_EQ(groups_on(other_rounds, 4), (RankGroups{{0, 1, 3}, {2}}));
}

// Tags that turn with the rank and the round, by one equation: BT and SP.
TEST(CommunicationGroups, TagsByOneEquationMakeNone) {
  const RankOf stages = [](int ranks, int rank) {
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
  };
  EXPECT_EQ(groups_on(stages, 16).size(), 1u);
  EXPECT_EQ(groups_on(stages, 25).size(), 1u);
}

TEST(CommunicationGroups, AreScaled) {
  const RankGroups nine = scaled_groups(wavefront, {4, 8, 16}, 64);
  EXPECT_EQ(nine, groups_on(wavefront, 64));
  EXPECT_EQ(scaled_groups(butterfly, {2, 4, 8, 16}, 64).size(), 1u);
}

// Ranks at the ends of the ring compute twice as long: the scaled traces differ, and communicate alike.
TEST(CommunicationGroups, ComputationMakesNoneOfScaledRanks) {
  const RankOf program = [](int ranks, int rank) {
    RankTrace trace = ring(ranks, rank);
    const uint64_t factor = rank == 0 || rank + 1 == ranks ? 2 : 1;
    for (TraceStep& step : trace.steps.front().body) {
      step.before = {step.before.n, 1000000 * factor * step.before.n, 1000000 * factor, 1000000 * factor, 0};
    }
    return trace;
  };
  const ScaledTraces traces(made(program, {4, 8, 16}, 32), 32);
  EXPECT_GT(traces.classes().size(), 1u);
  EXPECT_EQ(communication_groups(traces).size(), 1u);
}

// 1,100 messages around a ring, with sizes that no loop has: all ranks are alike, until one of them sends another size.
TEST(CommunicationGroups, OfLongTracesThatDoNotFoldAreFoundEventByEvent) {
  std::vector<RankTrace> traces;
  for (int rank = 0; rank < 4; ++rank) {
    Script s(4, rank);
    for (uint64_t k = 0; k < 1100; ++k) s.sendrecv((rank + 1) % 4, 0, (rank + 3) % 4, 0, k * k);
    s.trace.n_events = 1100;
    traces.push_back(s.trace);
  }
  EXPECT_EQ(communication_groups(traces).value(), (RankGroups{{0, 1, 2, 3}}));
  traces[2].events[700].bytes += 1;
  EXPECT_EQ(communication_groups(traces).value(), (RankGroups{{0, 1, 3}, {2}}));
  traces[2].events[700].bytes -= 1;
  traces[1].events[5].peer = kNobody;
  EXPECT_EQ(communication_groups(traces).value(), (RankGroups{{0, 2, 3}, {1}}));
}

}  // namespace
}  // namespace scalediag::loggp
