#include "loggp/emulation/call_times.h"

#include <gtest/gtest.h>

#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

// As Simulator.LateSenderKeepsItsReceiverWaiting: 3 in the send; 158 in the receive, of which 50 until the send.
TEST(CallTimes, TimesAreThoseOfTheCallsByRank) {
  ListProgram p(2);
  p.labels() = {"", "MPI_Send", "MPI_Recv"};
  p.of(0) = {compute(50), message(OpKind::kSend, 1, 9)};
  p.of(1) = {message(OpKind::kRecv, 0, 9)};
  p.of(0)[1].label = 1;
  p.of(1)[0].label = 2;
  CallTimes times(p);
  SimulationOptions options;
  options.observer = &times;
  ASSERT_TRUE(simulate(p, example_network(), options).ok());
  const auto calls = times.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].operation, "MPI_Send");
  EXPECT_EQ(calls[0].communicator_size, 2);
  EXPECT_EQ(calls[0].bytes, 8);  // the class from 8 to 15
  EXPECT_EQ(calls[0].wall_s, (std::vector<double>{3, 0}));
  EXPECT_EQ(calls[1].operation, "MPI_Recv");
  EXPECT_EQ(calls[1].wall_s, (std::vector<double>{0, 158}));
  EXPECT_EQ(calls[1].blocked_s, (std::vector<double>{0, 50}));
  EXPECT_DOUBLE_EQ(calls[1].longest_s, 158);
}

}  // namespace
}  // namespace scalediag::loggp
