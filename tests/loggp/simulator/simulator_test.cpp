#include "loggp/simulator/simulator.h"

#include <gtest/gtest.h>

#include "tests/loggp/simulator/simulated_programs.h"

namespace scalediag::loggp {
namespace {

void expect_adds_up(const Simulation& s) {
  for (const RankTimes& t : s.ranks) {
    EXPECT_NEAR(t.computation_s + t.transfer_s + t.waiting_s(), t.end_s, 1e-9);
  }
}

TEST(Simulator, PingPongTakesTwoHalfRoundTrips) {
  ListProgram p(2);
  p.of(0) = {send(1), recv(1)};
  p.of(1) = {recv(0), send(0)};
  const Simulation s = run(p, example_network());
  // Rank 1 has the ping at 108 and its CPU is free again at 108 + 3; rank 0 has the pong at 108 + 108.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 111);
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 216);
  EXPECT_DOUBLE_EQ(s.total_s, 216);
  EXPECT_EQ(s.n_messages, 2U);
  EXPECT_EQ(s.n_events, 6U);
  expect_adds_up(s);
}

TEST(Simulator, LateSenderKeepsItsReceiverWaiting) {
  ListProgram p(2);
  p.of(0) = {compute(50), send(1)};
  p.of(1) = {recv(0)};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 53);   // 50 + o_s + O b
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 158);  // 50 + 108
  EXPECT_DOUBLE_EQ(s.ranks[1].late_sender_s, 50);
  EXPECT_DOUBLE_EQ(s.ranks[1].transfer_s, 108);
  expect_adds_up(s);
}

TEST(Simulator, EagerMessageIsThereWhenTheReceiverIsLate) {
  ListProgram p(2);
  p.of(0) = {send(1)};
  p.of(1) = {compute(500), recv(0)};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 3);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 504);  // 500 + o_r + O b: the message was there at 104
  EXPECT_DOUBLE_EQ(s.ranks[1].waiting_s(), 0);
  expect_adds_up(s);
}

TEST(Simulator, RendezvousNegotiatesBeforeItSends) {
  ListProgram p(2);
  p.of(0) = {send(1)};
  p.of(1) = {recv(0)};
  const Simulation s = run(p, example_network(8));
  // The request is there at o_s + L = 102, agreed to at 102 + o_r = 105, known at 105 + o_s + L + o_r = 210; then one
  // way as above: 210 + 108. The sender's last byte leaves at 210 + o_s + G b = 214.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 318);
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 214);
  expect_adds_up(s);
}

TEST(Simulator, AConnectionIsMadeForTheFirstMessageOnly) {
  Network network = example_network();
  network.other_node.connect_s = 1000;
  ListProgram p(2);
  p.of(0) = {send(1), recv(1), send(1), recv(1)};
  p.of(1) = {recv(0), send(0), recv(0), send(0)};
  const Simulation s = run(p, network);
  // The first ping leaves at 1000 and not at o_s = 2, so it is received at 108 + 998; the other three take 108 each.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 1106 + 3 * 108);
  expect_adds_up(s);

  Network rendezvous = example_network(8);
  rendezvous.other_node.connect_s = 1000;
  ListProgram once(2);
  once.of(0) = {send(1)};
  once.of(1) = {recv(0)};
  // The request leaves 998 later than without (318, see above).
  EXPECT_DOUBLE_EQ(run(once, rendezvous).ranks[1].end_s, 318 + 998);
}

TEST(Simulator, EveryPairMakesItsOwnConnection) {
  Network network = example_network();
  network.other_node.connect_s = 1000;
  ListProgram p(3);
  p.of(0) = {send(1), send(1), compute(2000), send(2)};
  p.of(1) = {recv(0), recv(0)};
  p.of(2) = {recv(0)};
  const Simulation s = run(p, network);
  // Both wait for the connection, and leave G b + g = 7 apart: 1000 + 7 + L + G b + o_r + O b = 1113.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 1113);
  // Sent at 3 + 3 + 2000, connected 1000 later, then 106.
  EXPECT_DOUBLE_EQ(s.ranks[2].end_s, 3112);
}

TEST(Simulator, MessagesOfARankToItselfAreNotOnTheNetwork) {
  Network network = example_network();
  network.other_node.connect_s = 1000;
  network.same_node = network.other_node;
  ListProgram p(2);
  p.of(0) = {send(0), recv(0), compute(50), send(1), send(0), recv(0)};
  p.of(1) = {recv(0)};
  // The message to rank 1 is received at 50 + 1000 + 106, see AConnectionIsMadeForTheFirstMessageOnly. Those to rank 0
  // take nothing, also while the adapter waits with the other: the rank ends at 50 + o_s + O b.
  const Simulation s = run(p, network);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 50 + 1106);
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 53);
  expect_adds_up(s);

  // A send that waits for its receive waits for ever where this comes after it.
  ListProgram stuck(1);
  stuck.of(0) = {send(0), recv(0)};
  Network rendezvous = example_network(8);
  rendezvous.same_node = rendezvous.other_node;
  EXPECT_EQ(simulator_error(stuck, rendezvous).rfind("deadlock: 1 of 1 ranks", 0), 0U);
}

TEST(Simulator, RendezvousSendWaitsForALateReceiver) {
  ListProgram p(2);
  p.of(0) = {send(1)};
  p.of(1) = {compute(500), recv(0)};
  const Simulation s = run(p, example_network(8));
  // Agreed to at 500 + o_r = 503, known at 503 + 2 + 100 + 3 = 608, sent by 608 + o_s + G b = 612, received at
  // 608 + 108 = 716. The sender's CPU was busy until 2; until 500 it waited for the receiver.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 612);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 716);
  EXPECT_DOUBLE_EQ(s.ranks[0].late_receiver_s, 498);
  expect_adds_up(s);
}

TEST(Simulator, MessageOfExactlySSyncIsEager) {
  ListProgram p(2);
  p.of(0) = {send(1, 9)};
  p.of(1) = {recv(0, 9)};
  EXPECT_DOUBLE_EQ(run(p, example_network(9)).total_s, 108);
}

TEST(Simulator, FanInOfEightPassesTheReceiversAdapterOneByOne) {
  ListProgram p(9);
  for (int i = 1; i <= 8; ++i) {
    p.of(0).push_back(message(OpKind::kIrecv, i, kMessageBytes));
    p.of(i) = {send(0)};
  }
  p.of(0).push_back(wait_for(0));
  const Simulation s = run(p, example_network());
  // All first bytes arrive at o_s + L = 102. The adapter is busy for G b + g = 7 a message, so message k (from 0) is
  // there at 102 + 7 k + 2, and received 4 later, before the next is there. The last: 102 + 49 + 2 + 4 = 157.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 157);
  expect_adds_up(s);
}

TEST(Simulator, FanInIsTheSameInWhateverOrderReceivesAreBlocking) {
  ListProgram p(9);
  for (int i = 8; i >= 1; --i) {
    p.of(0).push_back(recv(i));
    p.of(i) = {send(0)};
  }
  EXPECT_DOUBLE_EQ(run(p, example_network()).ranks[0].end_s, 157);
}

TEST(Simulator, SlowReceiverOverheadLimitsFanIn) {
  Network network = example_network();
  network.other_node.segments[0].receive_overhead_s = 20;
  network.same_node = network.other_node;
  ListProgram p(9);
  for (int i = 1; i <= 8; ++i) {
    p.of(0).push_back(recv(i));
    p.of(i) = {send(0)};
  }
  // First message there at 102 + 2; then 8 times o_r + O b = 21.
  EXPECT_DOUBLE_EQ(run(p, network).ranks[0].end_s, 272);
}

TEST(Simulator, SendersAdapterSpacesABurst) {
  ListProgram p(4);
  p.of(0) = {send(1), send(2), send(3)};
  for (int i = 1; i < 4; ++i) p.of(i) = {recv(0)};
  const Simulation s = run(p, example_network());
  // The CPU is free after 3 each. The first leaves at 2; the adapter is free at 2 + G b + g = 9 and 16.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 9);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 2 + 106);
  EXPECT_DOUBLE_EQ(s.ranks[2].end_s, 9 + 106);
  EXPECT_DOUBLE_EQ(s.ranks[3].end_s, 16 + 106);
}

// Of 401 bytes: G b = 100, O b = 50, and alone the adapter is busy with one for G b + g = 105. A send that is posted at
// t is agreed to as above and begins to leave at t + 210 + o_s.
TEST(Simulator, LargeMessagesThatLeaveTogetherShareTheAdapter) {
  ListProgram p(4);
  for (int i = 1; i < 4; ++i) {
    p.of(0).push_back(message(OpKind::kIsend, i, 401));
    p.of(i) = {recv(0, 401)};
  }
  p.of(0).push_back(wait_for(0));
  const Simulation s = run(p, example_network(8));
  // They begin at 212, 214 and 216, when the first has been served 3, the second 1. The first needs 102 more, three
  // pass: it ends at 216 + 306 = 522. The second then lacks 2, the third 3: they end at 526 and 527. The last byte
  // leaves g = 5 before that, and is received L + o_r + O b = 153 later.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 517 + 153);
  EXPECT_DOUBLE_EQ(s.ranks[2].end_s, 521 + 153);
  EXPECT_DOUBLE_EQ(s.ranks[3].end_s, 522 + 153);
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 522);
  expect_adds_up(s);
}

TEST(Simulator, ALargeMessageThatJoinsDelaysTheOneUnderWay) {
  ListProgram p(3);
  p.of(0) = {message(OpKind::kIsend, 1, 401), compute(50), message(OpKind::kIsend, 2, 401), wait_for(0)};
  p.of(1) = {recv(0, 401)};
  p.of(2) = {recv(0, 401)};
  const Simulation s = run(p, example_network(8));
  // The second begins at 2 + 50 + 212 = 264, when 53 of the first's 105 are left: over at 264 + 106 = 370. The second
  // has 52 left then, which pass alone: 422.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 370 - 5 + 153);
  EXPECT_DOUBLE_EQ(s.ranks[2].end_s, 422 - 5 + 153);
}

TEST(Simulator, AllToAllOfLargeMessagesTakesWhatItsAdaptersTake) {
  constexpr int kRanks = 4;
  ListProgram p(kRanks);
  for (int r = 0; r < kRanks; ++r) {
    for (int i = 1; i < kRanks; ++i) p.of(r).push_back(message(OpKind::kIrecv, (r + kRanks - i) % kRanks, 401));
    for (int i = 1; i < kRanks; ++i) p.of(r).push_back(message(OpKind::kIsend, (r + i) % kRanks, 401));
    p.of(r).push_back(wait_for(0));
  }
  const Simulation s = run(p, example_network(8));
  // Every sender is as in the first of these tests: last bytes arrive at 617, 621 and 622. Messages that arrive at the
  // same time pass the receiver's adapter meanwhile. Then the CPU takes o_r + O b = 53 three times.
  for (const RankTimes& rank : s.ranks) EXPECT_DOUBLE_EQ(rank.end_s, 617 + 3 * 53);
  expect_adds_up(s);
}

TEST(Simulator, WhatIsThereFirstIsReceivedFirstThoughItBeganToArriveLater) {
  ListProgram p(4);
  p.of(0) = {message(OpKind::kIsend, 1, 401), message(OpKind::kIsend, 2, 401), wait_for(0)};
  p.of(1) = {recv(0, 401)};
  p.of(3) = {compute(250), send(2, 8)};
  p.of(2) = {message(OpKind::kIrecv, 0, 401), message(OpKind::kIrecv, 3, 8), wait_for(0)};
  // Rank 0's begin to leave at 212 and 214; the first lacks 103 then and is over at 420, the other one at 422, its last
  // byte at rank 2 at 422 - 5 + 100 = 517. The small one is there before, and received before: 517 + 53 ends it all.
  EXPECT_DOUBLE_EQ(run(p, example_network(8)).ranks[2].end_s, 570);
}

TEST(Simulator, LargeMessagesDoNotWaitForEagerOnesWhateverTheRanksNumbers) {
  for (const int to : {0, 2}) {
    ListProgram p(4);
    p.of(1).push_back(message(OpKind::kIsend, to, 401));
    for (int i = 0; i < 100; ++i) p.of(1).push_back(message(OpKind::kIsend, 3, 8));
    p.of(1).push_back(wait_for(0));
    p.of(to) = {recv(1, 401)};
    for (int i = 0; i < 100; ++i) p.of(3).push_back(recv(1, 8));
    EXPECT_DOUBLE_EQ(run(p, example_network(8)).ranks[static_cast<size_t>(to)].end_s, 212 + 100 + 153) << to;
  }
}

TEST(Simulator, TimesBeyondReasonEndToo) {
  ListProgram p(2);
  p.of(0) = {compute(1e308), send(1, 401), send(1, 401)};
  p.of(1) = {recv(0, 401), recv(0, 401)};
  EXPECT_GE(run(p, example_network(8)).total_s, 1e308);
  Network network = example_network(8);
  network.other_node.latency_s = 1e308;
  EXPECT_NE(simulator_error(p, network).find("other_node.L: must be a number of at least 0 and at most 1e9"),
            std::string::npos);
}

TEST(Simulator, LargeMessagesWithinANodeAreCopiedOneByOne) {
  Network network = example_network(8);
  network.placement.ranks_per_node = 3;
  ListProgram p(3);
  p.of(0) = {message(OpKind::kIsend, 1, 401), message(OpKind::kIsend, 2, 401), wait_for(0)};
  p.of(1) = {recv(0, 401)};
  p.of(2) = {recv(0, 401)};
  const Simulation s = run(p, network);
  // The first leaves at 212, the second when the adapter is free: 212 + 105.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 212 + 100 + 153);
  EXPECT_DOUBLE_EQ(s.ranks[2].end_s, 317 + 100 + 153);
}

TEST(Simulator, BinomialTreeOfEight) {
  ListProgram p(8);
  // 0 sends to 1, 2, 4; 1 to 3, 5; 2 to 6; 3 to 7.
  p.of(0) = {send(1), send(2), send(4)};
  p.of(1) = {recv(0), send(3), send(5)};
  p.of(2) = {recv(0), send(6)};
  p.of(3) = {recv(1), send(7)};
  p.of(4) = {recv(0)};
  p.of(5) = {recv(1)};
  p.of(6) = {recv(2)};
  p.of(7) = {recv(3)};
  const Simulation s = run(p, example_network());
  // The k-th send of a rank that is ready at t leaves at t + 2 + 7 k and is received 106 later:
  // 1 at 108, 2 at 115, 4 at 122; 3 at 108 + 108 = 216, 5 at 223; 6 at 115 + 108 = 223; 7 at 216 + 108 = 324.
  EXPECT_DOUBLE_EQ(s.ranks[4].end_s, 122);
  EXPECT_DOUBLE_EQ(s.ranks[5].end_s, 223);
  EXPECT_DOUBLE_EQ(s.ranks[6].end_s, 223);
  EXPECT_DOUBLE_EQ(s.ranks[7].end_s, 324);
  expect_adds_up(s);
}

TEST(Simulator, NonblockingReceiveOverlapsComputation) {
  ListProgram p(2);
  p.of(0) = {send(1)};
  p.of(1) = {message(OpKind::kIrecv, 0, kMessageBytes, 0, 7), compute(60), wait_for(7)};
  // The last byte is there at 104, whatever rank 1 does until 60.
  EXPECT_DOUBLE_EQ(run(p, example_network()).ranks[1].end_s, 108);
  p.of(1)[1] = compute(300);
  EXPECT_DOUBLE_EQ(run(p, example_network()).ranks[1].end_s, 304);
}

TEST(Simulator, NonblockingRendezvousSendOverlapsComputation) {
  ListProgram p(2);
  p.of(0) = {message(OpKind::kIsend, 1, kMessageBytes, 0, 7), compute(1000), wait_for(7)};
  p.of(1) = {recv(0)};
  const Simulation s = run(p, example_network(8));
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 1002);  // o_s for the request, then the computation covers it
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 318);
}

TEST(Simulator, WaitForOneGroupLeavesTheOther) {
  ListProgram p(3);
  p.of(0) = {message(OpKind::kIrecv, 1, kMessageBytes, 0, 1), message(OpKind::kIrecv, 2, kMessageBytes, 0, 2),
             wait_for(1), compute(10), wait_for(2)};
  p.of(1) = {send(0)};
  p.of(2) = {compute(1000), send(0)};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 1108);
  EXPECT_DOUBLE_EQ(s.ranks[0].late_sender_s, 1000 - 118);  // from 108 + 10 until rank 2 sends
}

TEST(Simulator, MatchesByTagAndThenByOrder) {
  ListProgram p(2);
  // Tag 1 first though it was sent last; of the two with tag 0, the 1-byte message first.
  p.of(0) = {send(1, 1, 0), send(1, 401, 0), send(1, 1, 1)};
  p.of(1) = {recv(0, 1, 1), recv(0, 1, 0), recv(0, 401, 0)};
  const Simulation s = run(p, example_network());
  // Leaves: 2; max(2 + 2, 2 + 0 + 5) = 7; the third after 7 + G 400 + g = 112. The third's byte is there at 212 and
  // received at 215; the first was there at 102: 218; the second at 7 + 100 + 100 = 207: 218 + 3 + O 400 = 271.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 271);
}

TEST(Simulator, SegmentsDecideByTheMessagesSize) {
  Network network = example_network();
  Segment& small = network.other_node.segments[0];
  Segment large = small;
  small.to_bytes = 9;
  large.from_bytes = 9;
  large.latency_s = 1000;
  network.other_node.segments.push_back(large);
  ListProgram p(2);
  p.of(0) = {send(1, 8)};
  p.of(1) = {recv(0, 8)};
  // b = 7: 2 + 100 + 1.75 + 3 + 0.875
  EXPECT_DOUBLE_EQ(run(p, network).total_s, 107.625);
  p.of(0) = {send(1, 9)};
  p.of(1) = {recv(0, 9)};
  EXPECT_DOUBLE_EQ(run(p, network).total_s, 1008);
}

TEST(Simulator, RanksOfANodeUseItsLinkClassAndHopsCost) {
  Network network = example_network();
  network.same_node.latency_s = 10;
  network.placement.ranks_per_node = 2;
  network.topology = {Topology::Kind::kTorus, {4}, 7};
  ListProgram p(8);
  p.of(0) = {send(1), send(4)};
  p.of(1) = {recv(0)};
  p.of(4) = {recv(0)};
  const Simulation s = run(p, network);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 18);
  // Nodes 0 and 2 of a ring of 4: two hops, one more than the first. It leaves at 9.
  EXPECT_DOUBLE_EQ(s.ranks[4].end_s, 9 + 100 + 7 + 2 + 4);
}

TEST(Simulator, ManyUnmatchedMessagesMeetTheirReceives) {
  constexpr int kRanks = 200;
  ListProgram p(kRanks);
  for (int i = 1; i < kRanks; ++i) {
    for (int tag = 0; tag < 3; ++tag) p.of(i).push_back(send(0, 1, tag));
  }
  for (int tag = 2; tag >= 0; --tag) {
    for (int i = kRanks - 1; i >= 1; --i) p.of(0).push_back(recv(i, 1, tag));
  }
  const Simulation s = run(p, example_network());
  EXPECT_EQ(s.n_messages, 597U);
  // The same with the receives posted first.
  ListProgram q(kRanks);
  for (int tag = 2; tag >= 0; --tag) {
    for (int i = kRanks - 1; i >= 1; --i) q.of(0).push_back(message(OpKind::kIrecv, i, 1, tag));
  }
  q.of(0).push_back(wait_for(kAllGroups));
  for (int i = 1; i < kRanks; ++i) q.of(i) = p.of(i);
  EXPECT_EQ(run(q, example_network()).n_messages, 597U);
}

TEST(Simulator, CollectiveWaitIsToldApart) {
  ListProgram p(2);
  p.of(0) = {collective(Collective::kBarrier, 0)};
  p.of(1) = {compute(50), collective(Collective::kBarrier, 0)};
  const Simulation s = run(p, example_network());
  // Rank 0 has sent at 2 and waits until rank 1 sends at 50; both have 0-byte messages: 2 + 100 + 3 one way.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 155);
  EXPECT_DOUBLE_EQ(s.ranks[0].collective_wait_s, 48);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 105);  // rank 0's message was there at 102
  expect_adds_up(s);
}

TEST(Simulator, CollectiveOfACommunicatorUsesItsRanks) {
  ListProgram p(4);
  p.communicators().push_back({3, 1});
  Op bcast = collective(Collective::kBcast, kMessageBytes, 0);  // root: rank 0 of the communicator, world rank 3
  bcast.communicator = 1;
  p.of(3) = {bcast};
  p.of(1) = {bcast};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 108);
  EXPECT_DOUBLE_EQ(s.ranks[3].end_s, 3);
  p.of(0) = {bcast};
  EXPECT_NE(
      simulator_error(p, example_network()).find("rank 0, event 0 (MPI_Bcast): the rank is not in communicator 1"),
      std::string::npos);
}

TEST(Simulator, CriticalPathFollowsWhatWasWaitedFor) {
  ListProgram p(3);
  p.of(0) = {compute(50), send(1)};
  p.of(1) = {recv(0), compute(10), send(2)};
  p.of(2) = {compute(20), recv(1)};
  SimulationOptions options;
  options.record_path = true;
  const Simulation s = run(p, example_network(), options);
  // Rank 0 until it sends at 50; rank 1 from 50 + 104 until it sends at 158 + 10; rank 2 from 168 + 104 to 276.
  ASSERT_EQ(s.path.size(), 3U);
  EXPECT_EQ(s.path[0].rank, 0U);
  EXPECT_DOUBLE_EQ(s.path[0].end_s, 50);
  EXPECT_EQ(s.path[1].rank, 1U);
  EXPECT_DOUBLE_EQ(s.path[1].begin_s, 154);
  EXPECT_DOUBLE_EQ(s.path[1].end_s, 168);
  EXPECT_EQ(s.path[2].rank, 2U);
  EXPECT_DOUBLE_EQ(s.path[2].begin_s, 272);
  EXPECT_DOUBLE_EQ(s.path[2].end_s, 276);
}

TEST(Simulator, NoiseFollowsFromTheSeedAlone) {
  ListProgram p(2);
  for (int i = 0; i < 20000; ++i) p.of(0).push_back(compute(1));
  p.of(1) = {compute(1)};
  SimulationOptions options;
  options.noise = 0.5;
  const Simulation a = run(p, example_network(), options);
  EXPECT_EQ(a.total_s, run(p, example_network(), options).total_s);
  options.seed = 2;
  EXPECT_NE(a.total_s, run(p, example_network(), options).total_s);
  // The mean of 20000 factors with mean 1 and deviation 0.5 lies within 5 x 0.5 / sqrt(20000) of 1.
  EXPECT_NEAR(a.total_s / 20000, 1, 0.018);
}

TEST(Simulator, ComputeFactorScalesComputation) {
  ListProgram p(1);
  p.of(0) = {compute(3), compute(5)};
  SimulationOptions options;
  options.compute_factor = 0.5;
  EXPECT_DOUBLE_EQ(run(p, example_network(), options).total_s, 4);
}

}  // namespace
}  // namespace scalediag::loggp
