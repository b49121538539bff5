// What a rank receives, by its trace.
#include "loggp/representatives/received_bytes.h"

#include <gtest/gtest.h>

namespace scalediag::loggp {
namespace {

using mpi::Collective;
using trace::EventKind;

TraceEvent some_event(EventKind kind, int peer, uint64_t bytes) {
  TraceEvent made;
  made.kind = kind;
  made.peer = peer;
  made.bytes = bytes;
  return made;
}

TraceEvent some_collective(Collective which, uint64_t bytes, int root = 0) {
  TraceEvent made = some_event(EventKind::kCollective, -1, bytes);
  made.collective = which;
  made.root = root;
  return made;
}

TraceStep event_once(uint32_t number) {
  TraceStep step;
  step.event = number;
  return step;
}

// Rank 1 of 4 receives 10 B from rank 0, and then three times 5000 B from rank 2, with a send after each.
RankTrace some_receives() {
  RankTrace trace;
  trace.rank = 1;
  trace.size = 4;
  trace.communicators = {{}};
  trace.events = {some_event(EventKind::kRecv, 0, 10), some_event(EventKind::kIrecv, 2, 5000),
                  some_event(EventKind::kSend, 2, 700)};
  TraceStep loop;
  loop.count = 3;
  loop.body = {event_once(1), event_once(2)};
  trace.steps = {event_once(0), loop};
  trace.n_events = 7;
  return trace;
}

TEST(ReceivedBytes, AreThoseOfReceives) { EXPECT_EQ(received_bytes(some_receives(), {}), 10U + 3 * 5000); }

TEST(ReceivedBytes, EndWhereTheRecordingDoes) {
  RecordedPart part;
  part.events = 5;  // the first event and two rounds of two
  EXPECT_EQ(received_bytes(some_receives(), part), 10U + 2 * 5000);
}

TEST(ReceivedBytes, LargeOnesAreLeftOutWhereOnlySmallOnesAreKept) {
  RecordedPart part;
  part.only_small = {{3, 7}};  // the second and the third round
  part.small_bytes = 4999;
  EXPECT_EQ(received_bytes(some_receives(), part), 10U + 5000);
  part.small_bytes = 5000;
  EXPECT_EQ(received_bytes(some_receives(), part), 10U + 3 * 5000);
}

TEST(ReceivedBytes, RanksOfTheNodeSendThemselves) {
  RecordedPart part;
  part.end_rank = 2;
  EXPECT_EQ(received_bytes(some_receives(), part), 3U * 5000);
}

TEST(ReceivedBytes, OfCollectivesTheResult) {
  RankTrace trace = some_receives();
  const auto of = [&](const TraceEvent& one) {
    trace.events = {one};
    trace.steps = {event_once(0)};
    return received_bytes(trace, {});
  };
  EXPECT_EQ(of(some_collective(Collective::kBarrier, 0)), 0U);
  EXPECT_EQ(of(some_collective(Collective::kBcast, 100, 1)), 0U);  // this rank has it
  EXPECT_EQ(of(some_collective(Collective::kBcast, 100, 0)), 100U);
  EXPECT_EQ(of(some_collective(Collective::kReduce, 100, 0)), 0U);
  EXPECT_EQ(of(some_collective(Collective::kGather, 100, 1)), 400U);
  EXPECT_EQ(of(some_collective(Collective::kAllgather, 100)), 400U);
  EXPECT_EQ(of(some_collective(Collective::kReduceScatter, 100)), 25U);
  EXPECT_EQ(of(some_collective(Collective::kAllreduce, 100)), 100U);
  EXPECT_EQ(of(some_collective(Collective::kAlltoall, 100)), 400U);  // a block of each
  // In a communicator of ranks 3 and 1 the root 1 is this rank.
  trace.communicators.push_back({0, {3, 1}});
  TraceEvent in_two = some_collective(Collective::kGather, 100, 1);
  in_two.communicator = 1;
  EXPECT_EQ(of(in_two), 200U);
}

}  // namespace
}  // namespace scalediag::loggp
