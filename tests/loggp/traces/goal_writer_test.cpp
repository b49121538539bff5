#include "loggp/traces/goal_writer.h"

#include <gtest/gtest.h>

#include "loggp/simulator/simulator.h"
#include "loggp/traces/goal.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

std::string goal_of(const Program& program, const Network& network) {
  std::string text;
  const auto written = write_goal(program, network, [&text](std::string_view piece) { text += piece; });
  EXPECT_TRUE(written.ok());
  return text;
}

// Computations of whole nanoseconds, so that nothing is rounded; times of the network are of microseconds.
Network microseconds(uint64_t sync_bytes) {
  Segment s;
  s.send_overhead_s = 2e-6;
  s.receive_overhead_s = 3e-6;
  s.gap_s = 1e-6;
  s.gap_s_per_byte = 1e-9;
  Network network = uniform_network(s, 10e-6, sync_bytes);
  network.reduction_s_per_byte = 1e-9;
  return network;
}

// All ends of the program and of the schedule that was made of it.
void expect_same_times(const Program& program, const Network& network) {
  const auto direct = simulate(program, network);
  ASSERT_TRUE(direct.ok()) << direct.error().message;
  const auto schedule = parse_goal(goal_of(program, network), "t.goal");
  ASSERT_TRUE(schedule.ok()) << schedule.error().message;
  const auto read_back = simulate(schedule.value(), network);
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  EXPECT_EQ(read_back.value().n_messages, direct.value().n_messages);
  for (size_t r = 0; r < direct.value().ranks.size(); ++r) {
    EXPECT_NEAR(read_back.value().ranks[r].end_s, direct.value().ranks[r].end_s, 1e-12) << "rank " << r;
  }
}

TEST(GoalWriter, TextOfABlockingExchange) {
  ListProgram program(2);
  program.of(0) = {compute(1.4e-9), compute(1.4e-9), message(OpKind::kSend, 1, 8, 5)};
  program.of(1) = {message(OpKind::kRecv, 0, 8, 5)};
  // 1.4 ns are 1, and the 0.4 that are left over with another 1.4 make 2.
  EXPECT_EQ(goal_of(program, microseconds(1024)),
            "num_ranks 2\n"
            "rank 0 {\nl1: calc 1\nl2: calc 2\nl2 requires l1\nl3: send 8b to 1 tag 0\nl3 requires l2\n}\n"
            "rank 1 {\nl1: recv 8b from 0 tag 0\n}\n");
}

TEST(GoalWriter, MessagesTakeAsLongAsInTheProgram) {
  for (const uint64_t sync_bytes : {uint64_t{64}, uint64_t{1} << 20}) {
    constexpr int kRanks = 6;
    ListProgram program(kRanks);
    for (int r = 0; r < kRanks; ++r) {
      auto& ops = program.of(r);
      const int right = (r + 1) % kRanks;
      const int left = (r + kRanks - 1) % kRanks;
      for (int i = 0; i < 3; ++i) {
        ops.push_back(compute(1e-6 * (3 + (r * 7 + i) % 5)));
        ops.push_back(message(OpKind::kIrecv, left, 1000, 1, 0));
        ops.push_back(message(OpKind::kIrecv, right, 8, 1, 1));
        ops.push_back(message(OpKind::kIsend, right, 1000, 1, 2));
        ops.push_back(message(OpKind::kIsend, left, 8, 1, 3));
        ops.push_back(wait_for(kAllGroups));
        // One after another along the ranks.
        if (r > 0) ops.push_back(message(OpKind::kRecv, left, 8, 2));
        ops.push_back(compute(2e-6));
        if (r + 1 < kRanks) ops.push_back(message(OpKind::kSend, right, 8, 2));
      }
    }
    expect_same_times(program, microseconds(sync_bytes));
  }
}

TEST(GoalWriter, CollectivesAreTheirMessages) {
  for (const int ranks : {2, 5, 8}) {
    ListProgram program(ranks);
    program.communicators().push_back({1, 0});
    for (int r = 0; r < ranks; ++r) {
      auto& ops = program.of(r);
      ops.push_back(compute(1e-6 * (r * 7 % 5)));
      ops.push_back(collective(Collective::kAllreduce, 8));
      ops.push_back(collective(Collective::kBcast, 4096, 1));
      ops.push_back(collective(Collective::kAlltoall, 512));
      if (r < 2) {
        Op op = collective(Collective::kAllreduce, 100000);
        op.communicator = 1;
        ops.push_back(op);
      }
      ops.push_back(collective(Collective::kBarrier, 0));
    }
    expect_same_times(program, microseconds(1024));
  }
}

TEST(GoalWriter, TheSameTagOfTwoCommunicatorsStaysApart) {
  ListProgram program(2);
  program.communicators().push_back({0, 1});
  Op other = message(OpKind::kIsend, 1, 8, 1, 0);
  other.communicator = 1;
  Op received = message(OpKind::kRecv, 0, 8, 1);
  received.communicator = 1;
  // Sent in one order, and received in the other.
  program.of(0) = {message(OpKind::kIsend, 1, 16, 1, 0), other, wait_for(0)};
  program.of(1) = {received, message(OpKind::kRecv, 0, 16, 1)};
  expect_same_times(program, microseconds(1024));
}

TEST(GoalWriter, ARankOutsideTheCommunicatorOfItsCollectiveIsAnError) {
  ListProgram program(2);
  program.communicators().push_back({0});
  Op op = collective(Collective::kBarrier, 0);
  op.communicator = 1;
  program.of(1) = {op};
  const auto written = write_goal(program, microseconds(1024), [](std::string_view) {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "rank 1 is not in communicator 1 of its Barrier");
}

}  // namespace
}  // namespace scalediag::loggp
