#include "loggp/simulator/operation_cost.h"

#include <gtest/gtest.h>

#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

// Messages of 9 bytes: b = 8, G b = 2, O b = 1 with example_network().
constexpr uint64_t kBytes = 9;
constexpr double kOneWay = 2 + 100 + 2 + 3 + 1;  // o_s + L + G b + o_r + O b

OperationCosts costs_on(Network network) {
  auto costs = OperationCosts::of(std::move(network));
  EXPECT_TRUE(costs.ok());
  return std::move(costs).value();
}

Network taking(const std::string& collective, const std::string& algorithm) {
  Network network = example_network();
  network.algorithms = {{collective, algorithm}};
  return network;
}

TEST(OperationCosts, MessagesByTheirEquations) {
  const OperationCosts costs = costs_on(example_network());
  EXPECT_EQ(costs.call_s("MPI_Send", 4, kBytes), std::optional(3.0));        // o_s + O b
  EXPECT_EQ(costs.call_s("MPI_Isend", 4, kBytes), std::optional(3.0));       // as if nothing were done meanwhile
  EXPECT_EQ(costs.call_s("MPI_Recv", 4, kBytes), std::optional(106.0));      // L + G b + o_r + O b
  EXPECT_EQ(costs.call_s("MPI_Sendrecv", 4, kBytes), std::optional(109.0));  // both
  EXPECT_EQ(costs.call_s("MPI_Waitall", 4, 0), std::optional(0.0));          // counted where it was posted
}

TEST(OperationCosts, SendsAboveTheLimitWaitForTheirReceiver) {
  const OperationCosts costs = costs_on(example_network(/*sync_bytes=*/8));
  // Request, answer: 2 (o_s' + L' + o_r') = 2 (2 + 100 + 3); then o_s + G b, which is more than o_s + O b.
  EXPECT_EQ(costs.call_s("MPI_Send", 4, kBytes), std::optional(210.0 + 4.0));
  EXPECT_EQ(costs.call_s("MPI_Send", 4, 8), std::optional(2 + 0.125 * 7));
}

// Two ranks that send to each other at once, as the simulator has it, and by hand.
TEST(OperationCosts, WhatIsSentPassesWhileAsMuchIsReceived) {
  constexpr uint64_t kAboveSync = 1001;
  ListProgram program(2);
  for (const int rank : {0, 1}) {
    program.of(rank) = {message(OpKind::kIrecv, 1 - rank, kAboveSync, 0, 1),
                        message(OpKind::kIsend, 1 - rank, kAboveSync, 0, 1), wait_for(1)};
  }
  for (const double exchange : {1.0, 2.0}) {
    Network network = example_network(/*sync_bytes=*/8);
    network.other_node.exchange = exchange;
    const OperationCosts costs = costs_on(network);
    // Handshake 210, o_s 2, L 100, G b = 250 and g = 5 at once with the other's, o_r + O b = 3 + 125.
    const double expected = 210 + 2 + 100 + exchange * 255 - 5 + 128;
    EXPECT_DOUBLE_EQ(*costs.call_s("MPI_Sendrecv", 2, kAboveSync), expected);
    EXPECT_DOUBLE_EQ(*costs.call_s("MPI_Isend", 2, kAboveSync) + *costs.call_s("MPI_Irecv", 2, kAboveSync), expected);
    const auto simulated = simulate(program, network);
    ASSERT_TRUE(simulated.ok());
    EXPECT_DOUBLE_EQ(simulated.value().total_s, expected);
  }
}

TEST(OperationCosts, RanksOfOneNodeUseItsLinks) {
  Network network = example_network();
  network.same_node.segments.front().send_overhead_s = 1;
  network.placement.ranks_per_node = 4;
  const OperationCosts costs = costs_on(network);
  EXPECT_EQ(costs.call_s("MPI_Send", 4, kBytes), std::optional(2.0));
  EXPECT_EQ(costs.call_s("MPI_Send", 5, kBytes), std::optional(3.0));
  // The ninth rank is on the first one's node again, the others are not.
  network.placement.kind = Placement::Kind::kCyclic;
  network.placement.nodes = 4;
  EXPECT_EQ(costs_on(network).call_s("MPI_Send", 9, kBytes), std::optional(3.0));
}

TEST(OperationCosts, CollectivesAreTheMeanOverRanks) {
  // Two ranks of a linear broadcast: the root is free at o_s + O b = 3, the other has the message at kOneWay.
  const OperationCosts bcast = costs_on(taking("Bcast", "linear"));
  EXPECT_EQ(bcast.call_s("MPI_Bcast", 2, kBytes), std::optional((3 + kOneWay) / 2));
  EXPECT_EQ(bcast.call_s("MPI_Ibcast", 2, kBytes), std::optional((3 + kOneWay) / 2));
  EXPECT_EQ(bcast.call_s("MPI_Bcast", 1, kBytes), std::optional(0.0));
}

TEST(OperationCosts, BytesOfAnAlltoallAreThoseOfAllBlocks) {
  // Two ranks exchange a block of 9 bytes.
  const OperationCosts costs = costs_on(taking("Alltoall", "pairwise"));
  EXPECT_EQ(costs.call_s("MPI_Alltoall", 2, 2 * kBytes), std::optional(kOneWay));
  EXPECT_EQ(costs.call_s("MPI_Alltoallv", 2, 2 * kBytes), std::optional(kOneWay));
}

TEST(OperationCosts, BeyondWhatIsSimulatedRingsGrowWithTheRanks) {
  // A ring of P ranks takes P - 1 steps, in each of which a block comes from one neighbour and goes to the other.
  const OperationCosts costs = costs_on(taking("Allgather", "ring"));
  EXPECT_NEAR(*costs.call_s("MPI_Allgather", 100, kBytes), 99 * kOneWay, 1e-6);
  EXPECT_NEAR(*costs.call_s("MPI_Allgather", 100000, kBytes), 99999 * kOneWay, 1e-3);
}

TEST(OperationCosts, BeyondWhatIsSimulatedDisseminationGrowsWithTheLogarithm) {
  // A step is a message without bytes: o_s + L + o_r = 105; P ranks take log2 P of them.
  const OperationCosts costs = costs_on(taking("Barrier", "bruck"));
  EXPECT_NEAR(*costs.call_s("MPI_Barrier", 16, 0), 4 * 105, 1e-9);
  EXPECT_NEAR(*costs.call_s("MPI_Barrier", 1u << 20, 0), 20 * 105, 1e-6);
}

TEST(OperationCosts, BeyondWhatIsSimulatedBlocksGrowWithTheRanks) {
  // Bruck's Alltoall of P = 2^20 blocks of 9 bytes: log2 P steps, in each of which half of the blocks go to one rank
  // and half come from another: o_s + L + o_r = 105 and (G + O) (9 P / 2 - 1).
  const double blocks = 1u << 20;
  EXPECT_NEAR(*costs_on(taking("Alltoall", "bruck")).call_s("MPI_Alltoall", 1u << 20, kBytes << 20) /
                  (20 * (105 + 0.375 * (4.5 * blocks - 1))),
              1, 1e-3);
  // Recursive doubling of an Allgather: messages of 1, 2, 4 ... blocks, P - 1 in all.
  EXPECT_NEAR(*costs_on(taking("Allgather", "recursive_doubling")).call_s("MPI_Allgather", 1u << 20, kBytes) /
                  (20 * 105 + 0.375 * (9 * (blocks - 1) - 20)),
              1, 1e-3);
}

TEST(OperationCosts, OthersWaitForTheRootSoonerOrLater) {
  // Fan-in of four (simulator_test.cpp): the root has the last block at 102 + 3 x 7 + 2 + 4; the others are free at 3.
  EXPECT_EQ(costs_on(taking("Gather", "linear")).call_s("MPI_Gather", 5, kBytes), std::optional(129.0));
}

TEST(OperationCosts, ConnectionsAreThere) {
  Network network = taking("Allgather", "ring");
  network.other_node.connect_s = 1000;
  const OperationCosts costs = costs_on(network);
  EXPECT_NEAR(*costs.call_s("MPI_Allgather", 100, kBytes), 99 * kOneWay, 1e-6);
  EXPECT_EQ(costs.call_s("MPI_Send", 2, kBytes), costs_on(example_network()).call_s("MPI_Send", 2, kBytes));
}

TEST(OperationCosts, WhatHasNoPriceIsNotFree) {
  const OperationCosts costs = costs_on(example_network());
  for (const char* name : {"MPI_Put", "MPI_Comm_split", "MPI_Neighbor_alltoall", "MPI_Start", "MPI_Win_fence"}) {
    EXPECT_FALSE(OperationCosts::knows(name)) << name;
    EXPECT_EQ(costs.call_s(name, 4, kBytes), std::nullopt) << name;
  }
  for (const char* name : {"MPI_Iallreduce", "MPI_Reduce_scatter_block", "MPI_Gatherv", "MPI_Alltoallw", "MPI_Exscan"})
    EXPECT_TRUE(OperationCosts::knows(name)) << name;
}

TEST(OperationCosts, TellWhichAlgorithmWasTaken) {
  const OperationCosts costs = costs_on(taking("Allreduce", "rabenseifner"));
  EXPECT_NE(costs.explain("MPI_Allreduce", 16, 1 << 20).find("rabenseifner"), std::string::npos);
}

TEST(OperationCosts, AnUnknownAlgorithmIsAnError) {
  const auto costs = OperationCosts::of(taking("Allreduce", "rabenseifer"));
  ASSERT_FALSE(costs.ok());
  EXPECT_NE(costs.error().message.find("rabenseifer"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::loggp
