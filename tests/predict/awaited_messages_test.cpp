// The messages that completion calls wait for in a simulation.
#include "predict/sources/awaited_messages.h"

#include <gtest/gtest.h>

#include "loggp/simulator/simulator.h"

namespace scalediag::predict {
namespace {

using loggp::compute;
using loggp::message;
using loggp::OpKind;

constexpr uint32_t kGroup = 1;

loggp::Op wait_for_group() {
  loggp::Op wait;
  wait.kind = OpKind::kWait;
  wait.group = kGroup;
  return wait;
}

// Each of the ranks 0 and 2 sends 1001 bytes to rank 1, after computing for these seconds; it waits for both in one
// call.
AwaitedMessages two_messages(double of_rank_0_s, double of_rank_2_s, const loggp::Network& network) {
  loggp::ListProgram program(3);
  for (const int sender : {0, 2}) {
    program.of(sender) = {compute(sender == 0 ? of_rank_0_s : of_rank_2_s), message(OpKind::kSend, 1, 1001)};
  }
  program.of(1) = {message(OpKind::kIrecv, 0, 1001, 0, kGroup), message(OpKind::kIrecv, 2, 1001, 0, kGroup),
                   wait_for_group()};
  OperationTimes times(program, network);
  loggp::SimulationOptions options;
  options.observer = &times;
  EXPECT_TRUE(loggp::simulate(program, network, options).ok());
  return times.awaited("MPI_Wait");
}

// Messages cost nothing. Rank 1 waits for 1 s until rank 0 sends, and for 3 s more until rank 2 does: 4 s are 4/3 s of
// three ranks in the mean, and 3 of the 4 s are for rank 2.
TEST(AwaitedMessages, TellWhoIsWaitedFor) {
  const AwaitedMessages awaited = two_messages(1, 4, loggp::uniform_network(loggp::Segment{}, 0));
  EXPECT_NEAR(awaited.late_sender_s, 4.0 / 3, 1e-12);
  EXPECT_EQ(awaited.latest_rank, 2);
  EXPECT_NEAR(awaited.latest_share, 0.75, 1e-12);
  EXPECT_EQ(awaited.late_receiver_s, 0);
}

// L is 1 us and G 1 ns: a message of 1001 bytes costs 1 us and 1000 ns for the bytes after the first, two of them 4 us,
// of which 2 are their bytes'.
TEST(AwaitedMessages, TellTheCostOfTheirBytes) {
  loggp::Segment segment;
  segment.gap_s_per_byte = 1e-9;
  const AwaitedMessages awaited = two_messages(0, 0, loggp::uniform_network(segment, 1e-6));
  EXPECT_EQ(awaited.count, 2);
  EXPECT_EQ(awaited.bytes, 2002);
  EXPECT_NEAR(awaited.cost_s, 4e-6, 1e-12);
  EXPECT_NEAR(awaited.cost_of_bytes_s, 2e-6, 1e-12);
  EXPECT_EQ(awaited.latest_rank, -1);
}

}  // namespace
}  // namespace scalediag::predict
