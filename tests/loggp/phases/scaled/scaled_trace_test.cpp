// The traces of more ranks: their computation, messages without a partner, the program that is simulated.
#include "loggp/phases/scaled/scaled_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/simulator/rounds.h"
#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// The computation of a rank in ns, also of rounds that others stand for.
double computation_of(const RankTrace& trace) {
  double sum = static_cast<double>(trace.tail_ns);
  const std::function<void(const std::vector<TraceStep>&)> add = [&](const std::vector<TraceStep>& steps) {
    for (const TraceStep& step : steps) {
      if (step.count > 0) add(step.body);
      if (step.count == 0) sum += static_cast<double>(step.before.total * trace.events[step.event].stands_for);
    }
  };
  add(trace.steps);
  return sum;
}

// The total computation of a rank of `target` by the model of `scales`, in ns.
double computed(const RankOf& program, const std::vector<int>& scales, int target, int rank) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  const auto model = model_of(traces, target);
  if (!model) return -1;
  return computation_of(ScaledTraces(model.value(), target).rank(rank));
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
  EXPECT_FALSE(ComputationHypothesis::of(samples, core::GridKind::kPlaneFalling).depends_on_place());
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
  const auto hypothesis = ComputationHypothesis::of(samples, core::GridKind::kLine);
  EXPECT_NEAR(hypothesis.at(64, 0), 160e6, 1.6e6);
  EXPECT_LT(hypothesis.at(64, 7), 100e3);
}

// Serial work of 69 ms beside 18 ms that all share: 69 + 18 / P of rank 0, 18 / P of the others, of which 1, 2 and 4
// ranks are too few to tell places apart. On 64 ranks the serial work is still there.
TEST(ComputationHypothesis, SerialWorkStaysWithTheFirstRank) {
  std::vector<ValueSample> samples;
  for (const int ranks : {1, 2, 4}) {
    for (int rank = 0; rank < ranks; ++rank) samples.push_back({ranks, rank, (rank == 0 ? 69e6 : 0) + 18e6 / ranks});
  }
  const auto hypothesis = ComputationHypothesis::of(samples, core::GridKind::kLine);
  EXPECT_NEAR(hypothesis.at(64, 0), 69e6 + 18e6 / 64, 1e3);
  EXPECT_NEAR(hypothesis.at(64, 63), 18e6 / 64, 1e3);
}

// Rank 0 hands out what the others do: 1 us against 12 ms / (P - 1).
TEST(ComputationHypothesis, TheFirstRankMayDoLessThanTheOthers) {
  std::vector<ValueSample> samples;
  for (const int ranks : {2, 3, 5}) {
    for (int rank = 0; rank < ranks; ++rank) samples.push_back({ranks, rank, rank == 0 ? 1e3 : 12e6 / (ranks - 1)});
  }
  EXPECT_NEAR(ComputationHypothesis::of(samples, core::GridKind::kLine).at(33, 0), 1e3, 1);
}

// 2, 3 and 4 ranks of a ring share 60 ms. Before which of their two messages is the same at all scales, or another one
// on 3 ranks: then each event has a mean of its own, 15 and 6.7 ms on any number of ranks, where 64 share 60 ms.
RankTrace ring_with_moving_work(int ranks, int rank, bool moves) {
  Script s(ranks, rank);
  s.message(EventKind::kSend, (rank + 1) % ranks, 8, 1);
  s.message(EventKind::kRecv, (rank + ranks - 1) % ranks, 8, 1);
  const bool is_second = moves && ranks == 3;
  s.trace.steps[0].before.total = is_second ? 0 : 60'000'000 / static_cast<uint64_t>(ranks);
  s.trace.steps[1].before.total = is_second ? 60'000'000 / static_cast<uint64_t>(ranks) : 0;
  s.repeat(0, 10);
  return s.trace;
}

ScaledTraces scaled(const RankOf& program, const std::vector<int>& scales, int target, uint64_t most_rounds) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  auto model = model_of(traces, target);
  EXPECT_TRUE(model.ok());
  return ScaledTraces(std::move(model.value()), target, most_rounds);
}

TEST(ScaledComputation, IsScaledToWhatTheWholeLeadsTo) {
  for (const uint64_t most_rounds : {UINT64_MAX, uint64_t{2}}) {
    const auto ring = [&](bool moves) {
      return scaled([moves](int ranks, int rank) { return ring_with_moving_work(ranks, rank, moves); }, {2, 3, 4}, 64,
                    most_rounds);
    };
    ScaledTraces steady = ring(false);
    EXPECT_TRUE(scale_to_total(steady).empty());
    ScaledTraces moved = ring(true);
    const auto doubts = scale_to_total(moved);
    ASSERT_EQ(doubts.size(), 1U);
    EXPECT_NEAR(doubts.front().scaled_s, 21.7e-3, 0.1e-3);
    EXPECT_NEAR(doubts.front().by_total_s, 60e-3 / 64, 1e-6);
    for (const int rank : {0, 31, 63}) EXPECT_NEAR(computation_of(moved.rank(rank)), 60e6 / 64, 1e3);
  }
}

// A reduce-scatter, with 60 ms / P before the first exchange and nothing before the others. 64 ranks have two exchanges
// more than 16, which are copies of the first one of these and add nothing to what 16 ranks computed.
TEST(ScaledComputation, MoreExchangesAddNothingToTheWhole) {
  ScaledTraces traces = scaled(
      [](int ranks, int rank) {
        Script s(ranks, rank);
        for (int bit = std::bit_width(static_cast<unsigned>(ranks)) - 2; bit >= 0; --bit) {
          s.sendrecv(rank ^ 1 << bit, bit, rank ^ 1 << bit, bit, uint64_t{64} << bit);
        }
        s.allreduce(8);
        for (TraceStep& step : s.trace.steps) step.before.total = 0;
        s.trace.steps[0].before.total = 60'000'000 / static_cast<uint64_t>(ranks);
        s.repeat(0, 5);
        return s.trace;
      },
      {2, 4, 8, 16}, 64, UINT64_MAX);
  const auto doubts = scale_to_total(traces);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NEAR(doubts.front().by_total_s, 60e-3 / 64, 1e-6);
  EXPECT_NEAR(1e9 * mean_computation_s(traces), 60e6 / 64, 1e3);
}

// Rank 0 computes 10 ms besides, 1.3 to 1.7 times as much as the others. Event by event that makes 31.7 ms on 64 ranks,
// and 21.7 of the others; the whole leads to 60 / 64 of all and the 10 ms.
TEST(ScaledComputation, WhatTheFirstRankDoesBesidesStays) {
  ScaledTraces traces = scaled(
      [](int ranks, int rank) {
        Script s(ranks, rank);
        s.trace = ring_with_moving_work(ranks, rank, true);
        s.allreduce(8);
        s.trace.steps.back().before.total = rank == 0 ? 10'000'000 : 0;
        return s.trace;
      },
      {2, 3, 4}, 64, UINT64_MAX);
  const auto doubts = scale_to_total(traces);
  ASSERT_EQ(doubts.size(), 2U);
  EXPECT_EQ(doubts.front().ranks, WhichRanks::kFirst);
  EXPECT_NEAR(computation_of(traces.rank(0)), 60e6 / 64 + 10e6, 1e3);
  EXPECT_NEAR(computation_of(traces.rank(63)), 60e6 / 64, 1e3);
}

// Round a ring, in which of the ranks that are alike one computes 1.2 times as long as it should, and one 0.8 times. On
// 64 ranks they do as well, the longest 1.5 times as long as the shortest, and all together what they did.
TEST(ScaledComputation, RanksDifferAsMeasuredOnesDid) {
  const auto ring = [](std::vector<double> factors) {
    return scaled(
        [factors](int ranks, int rank) {
          Script s(ranks, rank);
          s.message(EventKind::kSend, (rank + 1) % ranks, 8, 1);
          s.message(EventKind::kRecv, (rank + ranks - 1) % ranks, 8, 1);
          const double of_rank = ranks == 4 ? factors[static_cast<size_t>(rank)] : 1;
          s.trace.steps[0].before.total = static_cast<uint64_t>(of_rank * 60e6 / ranks);
          s.trace.steps[1].before.total = 0;
          s.repeat(0, 10);
          return s.trace;
        },
        {2, 3, 4}, 64, UINT64_MAX);
  };
  const auto factors_of = [&](std::vector<double> factors) {
    ScaledTraces traces = ring(std::move(factors));
    let_ranks_differ(traces);
    std::vector<double> of_ranks;
    for (int rank = 0; rank < 64; ++rank) {
      of_ranks.push_back(traces.rank_factor(rank));
      EXPECT_NEAR(computation_of(traces.rank(rank)), of_ranks.back() * 60e6 / 64, 1e3);
    }
    return of_ranks;
  };
  const std::vector<double> differ = factors_of({1, 1.2, 0.8, 1});
  EXPECT_NEAR(std::accumulate(differ.begin(), differ.end(), 0.0), 64, 1e-9);
  const auto [least, most] = std::minmax_element(differ.begin(), differ.end());
  EXPECT_NEAR(*most / *least, 1.5, 1e-3);
  for (const double factor : factors_of({1, 1, 1, 1})) EXPECT_NEAR(factor, 1, 1e-6);
}

// Ten times round a ring with 60 ms that ranks share, then a sum after 3 ms of rank 0 and 1 ms of all others, and 2 ms
// after it. Phases and the rest add up to what ranks compute.
TEST(ScaledComputation, PhasesAddUpToWhatRanksCompute) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.message(EventKind::kSend, (rank + 1) % ranks, 8, 1);
    s.message(EventKind::kRecv, (rank + ranks - 1) % ranks, 8, 1);
    s.trace.steps[0].before.total = 60'000'000 / static_cast<uint64_t>(ranks);
    s.trace.steps[1].before.total = 0;
    s.repeat(0, 10);
    s.allreduce(8);
    s.trace.steps.back().before.total = rank == 0 ? 3'000'000 : 1'000'000;
    s.trace.tail_ns = 2'000'000;
    return s.trace;
  };
  const ScalingModel model = made(program, {2, 4, 8}, 16);
  const std::vector<PhaseComputation> phases = measured_phases(model);
  for (const int ranks : {2, 4, 8}) {
    double sum = 0;
    for (const PhaseComputation& phase : phases) sum += phase.mean_s.at(ranks);
    const double mean_s = (60 + 2 + ranks * (1 + 2)) * 1e-3 / ranks;
    EXPECT_NEAR(sum, mean_s, 1e-9);
    EXPECT_NEAR(mean_computation_s(run(program, ranks)), mean_s, 1e-9);
  }
  ASSERT_EQ(phases.front().phase, 1);
  EXPECT_NEAR(phases.front().mean_s.at(4), 60e-3 / 4, 1e-9);
  EXPECT_EQ(phases.back().phase, 0);
  // Rank 0 has three times what others have before the sum, at all scales: an equation of its own, 3 ms.
  EXPECT_NEAR(mean_computation_s(ScaledTraces(model, 16)), (60 + 2 + 16 * 3) * 1e-3 / 16, 1e-8);
}

// Ranks of a line send to the right ten times, after 100 us each, and then to the left, after 1 ms each. The first rank
// has no message to the left and computes nothing for it, nor does the last one for one to the right.
TEST(ScaledComputation, RanksLackWhatIsComputedInLoopsThatTheyLack) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    const auto ten = [&](EventKind kind, int peer, int tag, uint64_t before) {
      if (peer < 0 || peer >= ranks) return;
      const size_t first = s.trace.steps.size();
      s.message(kind, peer, 8, tag);
      s.trace.steps.back().before.total = 10 * before;
      s.repeat(first, 10);
    };
    ten(EventKind::kSend, rank + 1, 1, 100'000);
    ten(EventKind::kRecv, rank - 1, 1, 0);
    ten(EventKind::kSend, rank - 1, 2, 1'000'000);
    ten(EventKind::kRecv, rank + 1, 2, 0);
    return s.trace;
  };
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 0), 1e6, 1);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 15), 11e6, 1);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 31), 10e6, 1);
}

// The last rank computes longer before the sum. 2 = 2 x 1, 4 = 2 x 2 and 8 = 4 x 2 have nobody between others along the
// second side, where 8 of 4 x 4 ranks are; 12 = 4 x 3 has.
TEST(ScaledComputation, PlacesThatNoRankHasAreTold) {
  const RankOf program = [](int ranks, int rank) {
    RankTrace trace = wavefront(ranks, rank);
    if (rank == ranks - 1) trace.steps.front().body.back().before.total *= 1000;
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

// What each rank sends to the rank before it, beside 1000 messages to the next one that are received: three that nobody
// receives on 8 ranks, and then nobody on 16 does, and five of which four are received. On 16 ranks those are 3 x 15,
// which are left out, and 15, which are of an operation that sends four others.
RankTrace some_unmatched(int ranks, int rank) {
  Script s(ranks, rank);
  const int before = rank - 1, after = rank + 1 < ranks ? rank + 1 : kNobody;
  const auto loop = [&s](uint64_t count, EventKind kind, int peer, int tag) {
    const size_t from = s.trace.steps.size();
    s.message(kind, peer, 64, tag);
    s.repeat(from, count);
  };
  s.allreduce(8);
  loop(3, EventKind::kSend, before, 1);
  if (ranks < 8) loop(3, EventKind::kRecv, after, 1);
  s.allreduce(8);
  loop(5, EventKind::kSend, before, 2);
  loop(4, EventKind::kRecv, after, 2);
  s.allreduce(8);
  loop(1000, EventKind::kSend, after, 3);
  loop(1000, EventKind::kRecv, before, 3);
  return s.trace;
}

TEST(ScaledTraces, CountOnlyTheMessagesThatAreLeftOut) {
  const ScaledTraces scaled(made(some_unmatched, {2, 4, 8}, 16), 16);
  EXPECT_EQ(scaled.left_out().messages, 45u);
  EXPECT_EQ(scaled.left_out().why_there, "");
  EXPECT_EQ(scaled.unmatched().messages, 15u);
  EXPECT_EQ(scaled.unmatched().why_there,
            "the operations they are of have others with a partner, and are not left out");
}

// Phases 1 and 4 are the sums, and 3 is where 2 and 4 ranks receive the three. 45 messages of phase 2 have no partner,
// and 15 of the 75 of phase 5.
TEST(ScaledTraces, DoNotTakeMessagesWithAPartnerForOthers) {
  const ScaledTraces scaled(made(some_unmatched, {2, 4, 8}, 16), 16);
  EXPECT_EQ(scaled.left_out().most, "MPI_Send of phase 2");
  EXPECT_EQ(scaled.unmatched().most, "MPI_Send of phase 5");
}

// Twelve times each rank sends a number to the next rank and receives the number before it, but nobody sends the first,
// 0. Without the receives of it, by 15 ranks, 14 sends of number 1 are missing, and so on: 15 + 14 + ... + 8 are left
// out in eight rounds, and 7 are there.
TEST(ScaledTraces, TellWhatIsThereAfterTheLastRound) {
  const RankOf program = [](int ranks, int rank) {
    Script s(ranks, rank);
    const int before = rank - 1, after = rank + 1 < ranks ? rank + 1 : kNobody;
    for (int number = 1; number <= 12; ++number) s.sendrecv(after, number, before, number - 1, 64);
    s.message(EventKind::kRecv, before, 64, 12);
    const size_t from = s.trace.steps.size();
    s.message(EventKind::kSend, after, 64, 20);
    s.message(EventKind::kRecv, before, 64, 20);
    s.repeat(from, 1000);
    return s.trace;
  };
  const ScaledTraces scaled(made(program, {2, 4, 8}, 16), 16);
  EXPECT_EQ(scaled.left_out().messages, 92u);
  EXPECT_EQ(scaled.unmatched().messages, 7u);
  EXPECT_EQ(scaled.unmatched().why_there, "leaving out those before has left these without a partner");
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

// A ring on 4, 8 and 16 ranks, in which each rank computes 1 us before each of three events, 50 times: all rounds are
// alike, and 3 of them stand for all. Of the trace's 50 rounds 3 are left, the last of which stands for 48.
TEST(ScaledTraces, OfFewRoundsTakeAsLongAsAll) {
  const RankOf ring = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.message(EventKind::kIrecv, (rank + ranks - 1) % ranks, 1000, 0, 0);
    s.message(EventKind::kSend, (rank + 1) % ranks, 1000);
    s.wait();
    s.repeat(0, 50);
    return s.trace;
  };
  const ScalingModel model = made(ring, {4, 8, 16}, 32);
  const auto all = ScaledProgram::of(ScaledTraces(model, 32));
  const auto few = ScaledProgram::of(ScaledTraces(model, 32, 3));
  ASSERT_TRUE(all);
  ASSERT_TRUE(few);
  const auto simulated = simulate(all.value(), example_network());
  const auto of_few = simulate_rounds(few.value(), example_network(), {});
  ASSERT_TRUE(simulated);
  ASSERT_TRUE(of_few);
  EXPECT_EQ(of_few.value().n_messages, 32u * 3);
  EXPECT_EQ(simulated.value().n_messages, 32u * 50);
  EXPECT_NEAR(of_few.value().total_s, simulated.value().total_s, 1e-9 * simulated.value().total_s);
}

}  // namespace
}  // namespace scalediag::loggp
