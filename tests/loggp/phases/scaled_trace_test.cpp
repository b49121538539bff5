// The traces of more ranks: their computation, messages without a partner, the program that is simulated.
#include "loggp/phases/scaled_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "loggp/phases/scaled_program.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// The total computation of a rank of `target` by the model of `scales`, in ns.
double computed(const RankOf& program, const std::vector<int>& scales, int target, int rank) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  const auto model = model_of(traces, target);
  if (!model) return -1;
  const RankTrace made = ScaledTraces(model.value(), target).rank(rank);
  double sum = static_cast<double>(made.tail_ns);
  const std::function<void(const std::vector<TraceStep>&)> add = [&](const std::vector<TraceStep>& steps) {
    for (const TraceStep& step : steps) {
      if (step.count > 0) add(step.body);
      if (step.count == 0) sum += static_cast<double>(step.before.total);
    }
  };
  add(made.steps);
  return sum;
}

// Halos in a line, after a sweep of 1 ms and 1 us before each further message. The rank at the left end has no message
// to the left, and sweeps before the one to the right. Corner places take `longer` times as long.
RankTrace sweeps(int ranks, int rank, double at_the_end) {
  Script s(ranks, rank);
  double before = 1e6 * (rank == 0 || rank + 1 == ranks ? at_the_end : 1);
  const auto message = [&](int peer, int tag) {
    if (peer < 0 || peer >= ranks) return;
    s.message(EventKind::kSend, peer, 8, tag);
    TraceTimes& times = s.trace.steps.back().before;
    times.total = times.least = times.most = static_cast<uint64_t>(before);
    before = 1e3;
  };
  message(rank - 1, 1);
  message(rank + 1, 2);
  for (TraceStep& step : s.trace.steps) step.before.total *= 10;
  s.repeat(0, 10);
  return s.trace;
}

// A rank inside has both messages: 10 x (1 ms + 1 us). One at an end has one of them, and does not sweep again before
// it.
TEST(ScaledComputation, OfBorderRanksIsDividedAmongTheEventsThatOthersHave) {
  const RankOf program = [](int ranks, int rank) { return sweeps(ranks, rank, 1); };
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 7), 10.01e6, 0.03e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 0), 10.01e6, 0.03e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 31), 10.01e6, 0.03e6);
}

TEST(ScaledComputation, IsThatOfTheRanksPlaceWherePlacesDiffer) {
  const RankOf program = [](int ranks, int rank) { return sweeps(ranks, rank, 1.5); };
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 7), 10.01e6, 0.1e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 0), 15.01e6, 0.15e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 31), 15.01e6, 0.15e6);
}

TEST(ComputationHypothesis, ChanceMakesNoPlaces) {
  std::vector<ValueSample> samples;
  uint32_t state = 3;
  for (const int ranks : {2, 4, 8, 16}) {
    for (int rank = 0; rank < ranks; ++rank) {
      state = state * 1664525 + 1013904223;
      samples.push_back({ranks, rank, 1e6 / ranks * (0.95 + 0.1 * (state >> 16) / 65536)});
    }
  }
  EXPECT_FALSE(ComputationHypothesis::of(samples, GridKind::kPlaneFalling).depends_on_place());
}

// Rank 0 works for 2.5 ms times P, the others for 1 to 3 us: their scatter is as large as their mean, and nothing
// beside that.
TEST(ComputationHypothesis, WorkOfOneRankIsItsOwnHoweverOthersScatter) {
  std::vector<ValueSample> samples;
  uint32_t state = 3;
  for (const int ranks : {1, 2, 4, 8}) {
    for (int rank = 0; rank < ranks; ++rank) {
      state = state * 1664525 + 1013904223;
      samples.push_back({ranks, rank, rank == 0 ? 2.5e6 * ranks : 1e3 + 2e3 * (state >> 16) / 65536});
    }
  }
  const auto hypothesis = ComputationHypothesis::of(samples, GridKind::kLine);
  EXPECT_NEAR(hypothesis.at(64, 0), 160e6, 1.6e6);
  EXPECT_LT(hypothesis.at(64, 7), 100e3);
}

// Rank 0 computes longer before the sum. 2 = 2 x 1, 4 = 2 x 2 and 8 = 4 x 2 have nobody between others along the second
// side, where 8 of 4 x 4 ranks are; 12 = 4 x 3 has.
TEST(ScaledComputation, PlacesThatNoRankHasAreTold) {
  const RankOf program = [](int ranks, int rank) {
    RankTrace trace = wavefront(ranks, rank);
    if (rank == 0) trace.steps.front().body.back().before.total *= 1000;
    return trace;
  };
  EXPECT_EQ(unseen_places(made(program, {2, 4, 8}, 16)).find("8 of 16 ranks"), 0u);
  EXPECT_EQ(unseen_places(made(program, {2, 4, 8, 12}, 64)), "");
}

TEST(MessageBalance, FindsWhatIsSentAndNotReceived) {
  MessageBalance balance;
  balance.add(3, 5, 77, 0, 4);
  balance.add(3, 5, 77, 0, -4);
  EXPECT_EQ(balance.unmatched().messages, 0u);
  balance.add(3, 5, 77, 0, 1);
  EXPECT_EQ(balance.unmatched().messages, 1u);
  EXPECT_EQ(balance.unmatched().example, "sent from rank 3 to rank 5 with tag 77");
  balance.add(5, 3, 77, 0, -2);
  EXPECT_EQ(balance.unmatched().messages, 3u);
}

// All send to the rank before them, which receives it on 2 and 4 ranks and not on 8: on 16 nobody does, 15 messages.
TEST(ScaledTraces, NameTheOperationWhoseMessagesHaveNoPartner) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.allreduce(8);
    s.message(EventKind::kSend, rank - 1, 64, 1);
    if (ranks < 8) s.message(EventKind::kRecv, rank + 1 < ranks ? rank + 1 : kNobody, 64, 1);
    return s.trace;
  };
  const ScaledTraces scaled(made(program, {2, 4, 8}, 16), 16);
  EXPECT_EQ(scaled.unmatched().messages, 15u);
  EXPECT_EQ(scaled.unmatched().most, "MPI_Send of phase 1");
}

// The wavefront on 64 ranks, an open plane of 8 x 8: its ranks are inside, on four sides and in four corners. Every
// rank's program made on demand has the operations of its trace.
TEST(ScaledProgram, IsTheTracesOfAllRanks) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : {4, 8, 16}) traces.push_back(run(wavefront, ranks));
  const auto model = model_of(traces, 64);
  ASSERT_TRUE(model);
  const ScaledTraces scaled(model.value(), 64);
  EXPECT_EQ(scaled.classes().size(), 9u);
  EXPECT_EQ(scaled.unmatched().messages, 0u);
  std::vector<RankTrace> all;
  for (int r = 0; r < 64; ++r) all.push_back(scaled.rank(r));
  const auto in_memory = TraceProgram::of(all);
  const auto on_demand = ScaledProgram::of(scaled);
  ASSERT_TRUE(in_memory && on_demand);
  for (int r = 0; r < 64; ++r) {
    uint64_t a = 0, b = 0;
    for (;;) {
      const Op one = in_memory.value().next(r, a), other = on_demand.value().next(r, b);
      ASSERT_EQ(one.kind, other.kind) << r;
      ASSERT_EQ(one.peer, other.peer) << r;
      ASSERT_EQ(one.tag, other.tag) << r;
      ASSERT_EQ(one.bytes, other.bytes) << r;
      ASSERT_EQ(one.seconds, other.seconds) << r;
      if (one.kind == OpKind::kEnd) break;
    }
  }
}

}  // namespace
}  // namespace scalediag::loggp
