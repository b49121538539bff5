// Handshakes of large messages that wait for the calls of a rank. With example_network(8) a message of 9 bytes needs
// one.
#include "loggp/simulator/handshakes.h"

#include <gtest/gtest.h>

#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

// A bit more than S_sync. G b = 2, O b = 1: the sender's CPU is busy for 3, the receiver's for 4.
constexpr uint64_t kLargeBytes = 9;

Simulation simulated(const Program& program, const Network& network, const SimulationOptions& options = {}) {
  auto result = simulate(program, network, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value() : Simulation{};
}

Op large_send(int to) { return message(OpKind::kSend, to, kLargeBytes); }
Op large_recv(int from) { return message(OpKind::kRecv, from, kLargeBytes); }
Op small_send(int to) { return message(OpKind::kSend, to, 1); }
Op small_recv(int from) { return message(OpKind::kRecv, from, 1); }

Network answering_in_calls() {
  Network network = example_network(8);
  network.progress = Progress::kInCalls;
  return network;
}
Op large_isend(int to, uint32_t group) { return message(OpKind::kIsend, to, kLargeBytes, 0, group); }
Op large_irecv(int from, uint32_t group) { return message(OpKind::kIrecv, from, kLargeBytes, 0, group); }

// As in Simulator.RendezvousNegotiatesBeforeItSends: the request is read at 102, and the acknowledgement is at the
// sender at 207.
TEST(Handshakes, ASenderThatComputesReadsTheAcknowledgementWhenItWaits) {
  ListProgram p(2);
  p.of(0) = {large_isend(1, 1), compute(1000), wait_for(1)};
  p.of(1) = {large_recv(0)};
  const Simulation s = simulated(p, answering_in_calls());
  // Read at o_s + 1000 = 1002, known at 1005, sent as above: the last byte leaves at 1009, and is received at 1113.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 1009);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 1113);
  EXPECT_DOUBLE_EQ(s.ranks[1].late_sender_s, 1002);
  // Answered at once the message is under way meanwhile.
  const Simulation at_once = simulated(p, example_network(8));
  EXPECT_DOUBLE_EQ(at_once.ranks[0].end_s, 1002);
  EXPECT_DOUBLE_EQ(at_once.ranks[1].end_s, 318);
}

TEST(Handshakes, AReceiverThatComputesReadsTheRequestWhenItWaits) {
  ListProgram p(2);
  p.of(0) = {large_send(1)};
  p.of(1) = {large_irecv(0, 1), compute(1000), wait_for(1)};
  const Simulation s = simulated(p, answering_in_calls());
  // Agreed to at 1000 + 3, known at 1003 + 105, sent at 1110, left at 1112, there at 1212.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 1112);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 1216);
  EXPECT_DOUBLE_EQ(s.ranks[0].late_receiver_s, 1000 - 2);
  const Simulation at_once = simulated(p, example_network(8));
  EXPECT_DOUBLE_EQ(at_once.ranks[0].end_s, 214);
  EXPECT_DOUBLE_EQ(at_once.ranks[1].end_s, 1004);  // it was there at 314
}

TEST(Handshakes, AReceiveThatIsPostedFindsARequestOnlyIfACallHasReadIt) {
  ListProgram p(3);
  p.of(0) = {large_send(1)};
  p.of(1) = {compute(500), large_irecv(0, 1), compute(500), wait_for(1)};
  // Not read before the wait at 1000: as above.
  EXPECT_DOUBLE_EQ(simulated(p, answering_in_calls()).ranks[0].end_s, 1112);
  // A byte from rank 2 is received at 200 (o_r = 3), when the request is there. So the receive agrees when it is posted
  // at 503: agreed at 506, known at 611, left at 613 + 2; it was there at 715, before the wait at 1003.
  p.of(1) = {compute(200), small_recv(2), compute(300), large_irecv(0, 1), compute(500), wait_for(1)};
  p.of(2) = {small_send(1)};
  const Simulation s = simulated(p, answering_in_calls());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 615);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 1007);
  EXPECT_DOUBLE_EQ(s.ranks[0].late_receiver_s, 503 - 2);
}

TEST(Handshakes, AWaitForAnotherMessageReadsRequestsToo) {
  ListProgram p(3);
  p.of(0) = {large_send(1)};
  // Waits for rank 2 from 0 to 50 + o_s + L + o_r = 155, while the request comes at 102: as without computation.
  p.of(1) = {large_irecv(0, 1), small_recv(2), compute(1000), wait_for(1)};
  p.of(2) = {compute(50), small_send(1)};
  const Simulation s = simulated(p, answering_in_calls());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 214);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 1159);
  // A wait for nothing reads none: left 112 after the wait at 1200.
  p.of(1) = {large_irecv(0, 1), compute(200), wait_for(7), compute(1000), wait_for(1)};
  p.of(2) = {};
  EXPECT_DOUBLE_EQ(simulated(p, answering_in_calls()).ranks[0].end_s, 1312);
}

TEST(Handshakes, ASendInSharedMemoryDoesNotNeedItsSenderOnceTheReceiverIsThere) {
  Network network = answering_in_calls();
  network.other_node.segments[0].handshake = 0;
  ListProgram p(2);
  p.of(0) = {large_isend(1, 1), compute(1000), wait_for(1)};
  p.of(1) = {compute(500), large_recv(0)};
  // The receiver is there at 500; then one way, 108.
  EXPECT_DOUBLE_EQ(simulated(p, network).ranks[1].end_s, 608);
}

TEST(Handshakes, ALateAnswerIsOnTheCriticalPath) {
  ListProgram p(2);
  p.of(0) = {large_send(1)};
  p.of(1) = {large_irecv(0, 1), compute(1000), wait_for(1), compute(1)};
  SimulationOptions options;
  options.record_path = true;
  // The computation of rank 1, not the wait of rank 0.
  for (const PathStretch& stretch : simulated(p, answering_in_calls(), options).path) EXPECT_EQ(stretch.rank, 1U);
  p.of(0) = {large_isend(1, 1), compute(1000), wait_for(1)};
  p.of(1) = {large_recv(0)};
  // The computation of rank 0 until 1002, then the message.
  const auto path = simulated(p, answering_in_calls(), options).path;
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].rank, 0U);
  EXPECT_DOUBLE_EQ(path[0].end_s, 1002);
  EXPECT_EQ(path[1].rank, 1U);
}

// Calls that are over before anything can arrive are forgotten; what arrives in a later one is read there.
TEST(ReadingCalls, ForgetWhatIsOver) {
  ReadingCalls calls;
  for (const double s : {0.0, 10.0, 20.0}) {
    calls.enter(s, 0, [](const Handshake&) {});
    calls.leave(s + 1);
  }
  EXPECT_EQ(calls.n_kept(), 3U);
  calls.forget_before(11.5);
  EXPECT_EQ(calls.n_kept(), 1U);
  Handshake one;
  one.at_s = 12;
  const auto read = calls.read(one);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at_s, 20);
  EXPECT_TRUE(read->is_late);
  one.at_s = 20.5;
  EXPECT_FALSE(calls.read(one)->is_late);
  // After the last call: read as the next one begins.
  one.at_s = 22;
  EXPECT_FALSE(calls.read(one));
  int n = 0;
  calls.enter(30, 0, [&](const Handshake& late) {
    ++n;
    EXPECT_EQ(late.at_s, 30);
  });
  EXPECT_EQ(n, 1);
}

}  // namespace
}  // namespace scalediag::loggp
