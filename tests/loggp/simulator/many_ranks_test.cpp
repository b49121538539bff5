// Simulations of many ranks go through them in another order than those of few, and find the same.
#include <gtest/gtest.h>

#include "loggp/simulator/rounds.h"
#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

constexpr int kCopyRanks = 7;

// Programs of 7 ranks, none of which does the same: a ring of messages of all sizes that are awaited together, more of
// them to rank 0 than are beside one another in memory, messages before and after their receives, and collectives.
std::vector<Op> operations(int rank, int first, uint32_t communicator) {
  std::vector<Op> ops;
  const auto other = [&](int distance) { return first + (rank + distance + kCopyRanks) % kCopyRanks; };
  for (int round = 0; round < 3; ++round) {
    ops.push_back(compute(10.0 * rank + 7 * round));
    for (int distance = 1; distance < kCopyRanks; ++distance) {
      const auto bytes = static_cast<uint64_t>(100 * distance + 1000 * round);
      if (rank % 2 == 0) ops.push_back(message(OpKind::kIrecv, other(-distance), bytes, distance));
      ops.push_back(message(OpKind::kIsend, other(distance), bytes, distance));
      if (rank % 2 != 0) ops.push_back(message(OpKind::kIrecv, other(-distance), bytes, distance));
    }
    ops.push_back(wait_for(0));
    for (int i = 0; i < 20; ++i) {
      if (rank == 3) ops.push_back(message(OpKind::kIsend, first, 8, 50 + i));
      if (rank == 0) ops.push_back(message(OpKind::kRecv, first + 3, 8, 50 + 19 - i));
    }
    Op all = collective(Collective::kAllreduce, 8);
    all.communicator = communicator;
    ops.push_back(all);
  }
  ops.push_back(wait_for(kAllGroups));
  return ops;
}

ListProgram copies(int n) {
  ListProgram p(n * kCopyRanks);
  for (int copy = 0; copy < n; ++copy) {
    const int first = copy * kCopyRanks;
    p.communicators().emplace_back();
    for (int rank = 0; rank < kCopyRanks; ++rank) {
      p.communicators().back().push_back(first + rank);
      p.of(first + rank) = operations(rank, first, static_cast<uint32_t>(copy + 1));
    }
  }
  return p;
}

void expect_copies_alike(const Network& network) {
  constexpr int kCopies = 2000;
  const auto one = simulate(copies(1), network);
  const auto many = simulate(copies(kCopies), network);
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_EQ(many.value().total_s, one.value().total_s);
  EXPECT_EQ(many.value().n_messages, kCopies * one.value().n_messages);
  EXPECT_EQ(many.value().n_events, kCopies * one.value().n_events);
  for (size_t r = 0; r < many.value().ranks.size(); ++r) {
    const RankTimes& times = many.value().ranks[r];
    const RankTimes& alone = one.value().ranks[r % kCopyRanks];
    ASSERT_EQ(times.end_s, alone.end_s) << r;
    ASSERT_EQ(times.transfer_s, alone.transfer_s) << r;
    ASSERT_EQ(times.late_sender_s, alone.late_sender_s) << r;
    ASSERT_EQ(times.late_receiver_s, alone.late_receiver_s) << r;
    ASSERT_EQ(times.collective_wait_s, alone.collective_wait_s) << r;
  }
}

TEST(SimulatorOfManyRanks, FindsWhatThatOfFewDoes) { expect_copies_alike(example_network()); }

TEST(SimulatorOfManyRanks, FindsTheSameWhereMessagesWaitForTheirReceivers) {
  expect_copies_alike(example_network(550));
}

// Each rank sends one message to the other of its node, which is ready first or last: its adapter has no other.
TEST(SimulatorOfManyRanks, GoesOnOnceAMessageWithinItsNodeIsCopied) {
  Network network = example_network(8);
  network.placement.ranks_per_node = 2;
  const auto pairs = [](int n) {
    ListProgram p(2 * n);
    for (int r = 0; r < 2 * n; ++r) {
      p.of(r) = {compute(r % 2 * 10), message(OpKind::kIrecv, r ^ 1, 9), message(OpKind::kIsend, r ^ 1, 9), wait_for(0),
                 compute(1)};
    }
    return p;
  };
  const auto one = simulate(pairs(1), network);
  const auto many = simulate(pairs(7000), network);
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_TRUE(many) << many.error().message;
  for (size_t r = 0; r < many.value().ranks.size(); ++r) {
    ASSERT_EQ(many.value().ranks[r].end_s, one.value().ranks[r % 2].end_s) << r;
  }
}

TEST(SimulatorOfManyRanks, NamesADeadlock) {
  ListProgram p(14000);
  for (int r = 0; r < 14000; ++r) p.of(r) = {message(OpKind::kRecv, (r + 1) % 14000, 8)};
  const auto failed = simulate(p, example_network());
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("14000 of 14000 ranks"), std::string::npos) << failed.error().message;
}

// Different ranks come to their collectives at different times, some of them after messages that wait for receivers,
// and exchange messages in between.
ListProgram with_collectives(int ranks) {
  ListProgram p(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Op>& ops = p.of(rank);
    for (int round = 0; round < 2; ++round) {
      ops.push_back(compute((rank * 7919 + round) % 13));
      const int other = rank ^ 1;
      ops.push_back(message(OpKind::kIrecv, other, 600));
      ops.push_back(message(OpKind::kIsend, other, 600));
      ops.push_back(collective(Collective::kAllreduce, 8));
      ops.push_back(collective(Collective::kBarrier, 0));
      ops.push_back(wait_for(0));
    }
  }
  return p;
}

// An observer is told of all that ranks do, so that they are simulated one by one.
core::Result<Simulation> one_by_one(const Program& program, const Network& network) {
  struct Nothing : Observer {
    void on_span(const Span& /*span*/) override {}
  } observer;
  SimulationOptions options;
  options.observer = &observer;
  return simulate(program, network, options);
}

TEST(SimulatorOfManyRanks, DoesCollectivesAtOnceAsOneRankAfterAnother) {
  constexpr int kRanks = 16384;
  const ListProgram program = with_collectives(kRanks);
  Network network = example_network(550);
  network.reduction_s_per_byte = 0.25;
  network.algorithms = {{"Allreduce", "recursive_doubling"}, {"Barrier", "recursive_doubling"}};
  const auto at_once = simulate(program, network);
  const auto alone = one_by_one(program, network);
  ASSERT_TRUE(at_once) << at_once.error().message;
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(at_once.value().n_messages, uint64_t{kRanks} * 2 * (1 + 14 + 14));
  EXPECT_EQ(at_once.value().n_messages, alone.value().n_messages);
  EXPECT_EQ(at_once.value().n_events, alone.value().n_events);
  for (size_t r = 0; r < kRanks; ++r) {
    const RankTimes& a = at_once.value().ranks[r];
    const RankTimes& b = alone.value().ranks[r];
    ASSERT_EQ(a.end_s, b.end_s) << r;
    ASSERT_EQ(a.computation_s, b.computation_s) << r;
    ASSERT_EQ(a.transfer_s, b.transfer_s) << r;
    ASSERT_EQ(a.late_receiver_s, b.late_receiver_s) << r;
    ASSERT_EQ(a.collective_wait_s, b.collective_wait_s) << r;
  }
}

TEST(SimulatorOfManyRanks, DoesNotWaitForARankThatDoesNotComeToACollective) {
  ListProgram program(16384);
  for (int rank = 1; rank < program.ranks(); ++rank) program.of(rank) = {collective(Collective::kAllreduce, 8)};
  Network network = example_network();
  network.algorithms = {{"Allreduce", "recursive_doubling"}};
  const auto failed = simulate(program, network);
  const auto alone = one_by_one(program, network);
  ASSERT_FALSE(failed);
  ASSERT_FALSE(alone);
  EXPECT_EQ(failed.error().message, alone.error().message);
}

// Rank 0 computes 10 and sends, which takes its CPU 3 more; rank 1 waits for 10 and has the message after 108 (see
// simulator_test.cpp). Where that stands for 4 executions rank 0 has 39 s more and rank 1 has 354 more, so that the run
// takes 118 and their mean, as if it had gone on.
TEST(SimulatedRounds, CountTheTimeOfTheLastAsOftenAsItStandsFor) {
  ListProgram p(2);
  p.of(0) = {compute(10), message(OpKind::kSend, 1, 9)};
  p.of(1) = {message(OpKind::kRecv, 0, 9)};
  for (int rank = 0; rank < 2; ++rank) {
    for (Op& op : p.of(rank)) op.stands_for = 4;
  }
  const auto s = simulate_rounds(p, example_network(), {});
  ASSERT_TRUE(s);
  EXPECT_DOUBLE_EQ(s.value().ranks[0].computation_s, 40);
  EXPECT_DOUBLE_EQ(s.value().ranks[0].end_s, 52);
  EXPECT_DOUBLE_EQ(s.value().ranks[1].late_sender_s, 40);
  EXPECT_DOUBLE_EQ(s.value().ranks[1].end_s, 472);
  EXPECT_DOUBLE_EQ(s.value().total_s, 118 + (39. + 354) / 2);
}

}  // namespace
}  // namespace scalediag::loggp
