#include "loggp/simulator/windows/remote_accesses.h"

#include <gtest/gtest.h>

#include <tuple>

#include "loggp/analysis/waiting_causes.h"
#include "tests/loggp/simulator/simulated_programs.h"

namespace scalediag::loggp {
namespace {

using trace::Remote;

// Of 9 bytes: b = 8, o_s 2, G b 2, O b 1, L 100, g 5, o_r 3 (simulated_programs.h); requests and locks have no bytes,
// and neither G b nor O b.
Op access(Remote what, int peer, uint32_t group = 1) {
  const bool has_data = what != Remote::kLock && what != Remote::kLockShared && what != Remote::kUnlock;
  return message(OpKind::kRemote, peer, has_data ? kMessageBytes : 0, static_cast<int>(what), group);
}

double end_of(Remote what) {
  ListProgram p(2);
  p.of(0) = {access(what, 1), wait_for(1)};
  return run(p, example_network()).ranks[0].end_s;
}

TEST(RemoteAccesses, EndWhereTheirBytesAre) {
  EXPECT_DOUBLE_EQ(end_of(Remote::kPutLeft), 4);        // o_s + G b
  EXPECT_DOUBLE_EQ(end_of(Remote::kPut), 104);          // o_s + L + G b
  EXPECT_DOUBLE_EQ(end_of(Remote::kPutAnswered), 204);  // and L
  EXPECT_DOUBLE_EQ(end_of(Remote::kGet), 208);          // o_s + L, then L + G b + o_r + O b
  EXPECT_DOUBLE_EQ(end_of(Remote::kFetch), 210);        // the request has G b, too
}

// Large ones have no handshake: a put that ends at o_s + L + G b and is waited for from o_s + O b on has a latency and
// G b less O b; a get, whose request has no bytes, two latencies and G b. Of 109 bytes G b is 27 and O b 13.5.
TEST(RemoteAccesses, OnTheCriticalPathAreLatenciesAndBytes) {
  for (const auto& [what, latencies, bytes_s] : {std::tuple(Remote::kPut, 1, 13.5), {Remote::kGet, 2, 27.0}}) {
    ListProgram p(2);
    p.of(0) = {message(OpKind::kRemote, 1, 109, static_cast<int>(what), 1), wait_for(1)};
    Network network = example_network();
    network.other_node.sync_bytes = network.same_node.sync_bytes = 100;
    SimulationOptions options;
    options.record_path = true;
    const Simulation s = run(p, network, options);
    ASSERT_EQ(s.path_messages.size(), 1U);
    EXPECT_FLOAT_EQ(s.path_messages[0].latency_s, static_cast<float>(100 * latencies));
    EXPECT_FLOAT_EQ(s.path_messages[0].bytes_s, static_cast<float>(bytes_s));
  }
}

TEST(RemoteAccesses, KeepNobodyElseWaiting) {
  ListProgram p(2);
  p.of(0) = {access(Remote::kPut, 1)};
  p.of(1) = {compute(1)};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 3);  // o_s + O b
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 1);
}

// The first byte of the second one passes when the adapter is free, at 102 + G b + g = 109.
TEST(RemoteAccesses, PassTheAdapterOfTheirTargetOneAfterAnother) {
  ListProgram p(3);
  p.of(0) = p.of(1) = {access(Remote::kPut, 2), wait_for(1)};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 104);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 111);
}

TEST(RemoteAccesses, AreWaitedForTogether) {
  ListProgram p(2);
  p.of(0) = {access(Remote::kPut, 1), access(Remote::kPut, 1), wait_for(1)};
  // The second one is posted at o_s + O b = 3, leaves when the adapter is free at 2 + G b + g = 9, and has its first
  // byte there at 109, when the target's adapter is free again: 109 + G b.
  EXPECT_DOUBLE_EQ(run(p, example_network()).total_s, 111);
}

TEST(RemoteAccesses, ALockIsHeldUntilItsUnlockArrives) {
  ListProgram p(3);
  p.of(0) = {access(Remote::kLock, 2), wait_for(1), compute(50), access(Remote::kUnlock, 2), wait_for(1)};
  p.of(1) = {access(Remote::kLock, 2), wait_for(1)};
  WaitingObserver waiting(3);
  SimulationOptions options;
  options.observer = &waiting;
  const Simulation s = run(p, example_network(), options);
  // Rank 0 asks at o_s + L = 102 and knows at 202; it unlocks at 252, released at 252 + o_s + L = 354, known at 454.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 454);
  EXPECT_DOUBLE_EQ(s.ranks[0].lock_wait_s, 0);
  // Rank 1 asked at 102, too, and knows at 354 + L.
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 454);
  EXPECT_DOUBLE_EQ(s.ranks[1].lock_wait_s, 354 - 102);
  EXPECT_DOUBLE_EQ(waiting.causes().lock_s, 354 - 102);
  EXPECT_DOUBLE_EQ(waiting.causes().sum_s(), 354 - 102);
  for (const RankTimes& t : s.ranks) {
    EXPECT_DOUBLE_EQ(t.computation_s + t.transfer_s + t.waiting_s(), t.end_s);
  }
}

TEST(RemoteAccesses, SharedLocksAreHeldTogetherAndKeepExclusiveOnesOut) {
  ListProgram p(4);
  p.of(0) = p.of(1) = {access(Remote::kLockShared, 3), wait_for(1), access(Remote::kUnlock, 3), wait_for(1)};
  p.of(2) = {compute(10), access(Remote::kLock, 3), wait_for(1)};
  const Simulation s = run(p, example_network());
  // Both know at 202, and are released at 202 + o_s + L = 304.
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 404);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 404);
  EXPECT_DOUBLE_EQ(s.ranks[2].end_s, 404);
  EXPECT_DOUBLE_EQ(s.ranks[2].lock_wait_s, 304 - 112);
}

// Rank 0 is simulated first, and asks last.
TEST(RemoteAccesses, LocksAreGrantedInTheOrderOfTime) {
  ListProgram p(3);
  p.of(0) = {compute(1000), access(Remote::kLock, 2), wait_for(1)};
  p.of(1) = {access(Remote::kLock, 2), wait_for(1), access(Remote::kUnlock, 2), wait_for(1)};
  const Simulation s = run(p, example_network());
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 1202);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 404);
  EXPECT_DOUBLE_EQ(s.ranks[0].lock_wait_s + s.ranks[1].lock_wait_s, 0);
}

TEST(RemoteAccesses, ALockThatIsNotReleasedIsNamed) {
  ListProgram p(3);
  p.of(0) = p.of(1) = {access(Remote::kLock, 2), wait_for(1)};
  EXPECT_EQ(simulator_error(p, example_network()),
            "deadlock: 1 of 3 ranks cannot go on: rank 1, event 1 (MPI_Wait), waits for the lock of a window's memory "
            "at rank 2, and rank 2 has ended");
}

}  // namespace
}  // namespace scalediag::loggp
