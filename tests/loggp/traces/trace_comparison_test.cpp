#include "loggp/traces/trace_comparison.h"

#include <gtest/gtest.h>

#include "loggp/traces/trace_writer.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

TraceEvent message(EventKind kind, int peer, uint64_t bytes) {
  TraceEvent e;
  e.kind = kind;
  e.peer = peer;
  e.bytes = bytes;
  return e;
}

TraceStep step(uint32_t event) {
  TraceStep s;
  s.event = event;
  return s;
}

TraceStep loop(uint64_t count, std::vector<TraceStep> body) {
  TraceStep s;
  s.count = count;
  s.body = std::move(body);
  return s;
}

RankTrace rank_of_two(std::vector<TraceEvent> events, std::vector<TraceStep> steps) {
  RankTrace trace;
  trace.size = 2;
  trace.communicators.emplace_back();
  trace.routines = {"MPI_Send"};
  trace.events = std::move(events);
  trace.steps = std::move(steps);
  return trace;
}

const TraceEvent kEightBytes = message(EventKind::kSend, 1, 8), kEightHundredBytes = message(EventKind::kSend, 1, 800);

TEST(TraceComparison, FoldingMakesNoDifference) {
  const RankTrace a = rank_of_two({kEightBytes}, {loop(3, {step(0)})});
  const RankTrace b = rank_of_two({kEightBytes}, {step(0), loop(2, {step(0)})});
  const auto compared = compare_traces({a}, {b});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared.value().all.events(), 3u);
  EXPECT_EQ(compared.value().all.identical, 3u);
  EXPECT_FALSE(compared.value().first_difference);
}

// A: 10 small ones. B: 4 small ones, a large one that A does not have, 6 small ones. All of A's are in B; of the 11
// events of B, 10 are the same; the first difference is A's event 4.
TEST(TraceComparison, OneEventTooManyIsOneDifference) {
  const RankTrace a = rank_of_two({kEightBytes}, {loop(10, {step(0)})});
  const RankTrace b = rank_of_two({kEightBytes, kEightHundredBytes}, {loop(4, {step(0)}), step(1), loop(6, {step(0)})});
  const auto compared = compare_traces({a}, {b});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared.value().all.a, 10u);
  EXPECT_EQ(compared.value().all.b, 11u);
  EXPECT_EQ(compared.value().all.identical, 10u);
  ASSERT_TRUE(compared.value().first_difference);
  EXPECT_EQ(compared.value().first_difference->event, 4u);
  EXPECT_EQ(compared.value().first_difference->b->bytes, 800u);
}

TEST(TraceComparison, BytesTagsAndPeersCount) {
  for (int what = 0; what < 3; ++what) {
    TraceEvent other = kEightBytes;
    if (what == 0) other.bytes = 9;
    if (what == 1) other.tag = 1;
    if (what == 2) other.peer = 0;
    const auto compared = compare_traces({rank_of_two({kEightBytes}, {step(0)})}, {rank_of_two({other}, {step(0)})});
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared.value().all.identical, 0u) << what;
  }
}

// A sends 8, 9 and 10 bytes, B 8 and 900 bytes to the same rank with the same tag, and then 10 bytes with another tag:
// one event is identical, one but for its bytes, one neither.
TEST(TraceComparison, EventsThatDifferOnlyInBytesAreCountedApart) {
  TraceEvent tagged = message(EventKind::kSend, 1, 10);
  tagged.tag = 1;
  const RankTrace a = rank_of_two({kEightBytes, message(EventKind::kSend, 1, 9), message(EventKind::kSend, 1, 10)},
                                  {step(0), step(1), step(2)});
  const RankTrace b =
      rank_of_two({kEightBytes, message(EventKind::kSend, 1, 900), tagged}, {step(0), step(1), step(2)});
  const auto compared = compare_traces({a}, {b});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared.value().all.identical, 1u);
  EXPECT_EQ(compared.value().all.but_for_bytes, 1u);
  EXPECT_DOUBLE_EQ(compared.value().all.share_but_for_bytes(), 2.0 / 3);
}

// A lacks the large message of B between others whose bytes differ: two of B's three are there but for their bytes.
TEST(TraceComparison, OneEventTooManyLeavesTheOthersAlikeButForBytes) {
  TraceEvent other = message(EventKind::kSend, 0, 7);
  const RankTrace a =
      rank_of_two({message(EventKind::kSend, 1, 1), message(EventKind::kSend, 1, 2)}, {step(0), step(1)});
  const RankTrace b = rank_of_two({message(EventKind::kSend, 1, 3), other, message(EventKind::kSend, 1, 4)},
                                  {step(0), step(1), step(2)});
  const auto compared = compare_traces({a}, {b});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared.value().all.identical, 0u);
  EXPECT_EQ(compared.value().all.but_for_bytes, 2u);
}

TEST(TraceComparison, DifferentNumbersOfRanksAreAnError) {
  const RankTrace a = rank_of_two({kEightBytes}, {step(0)});
  EXPECT_FALSE(compare_traces({a, a}, {a}));
}

TEST(TraceWriter, WhatIsWrittenIsRead) {
  TraceEvent wait;
  wait.kind = EventKind::kWait;
  wait.requests = {0, 2};
  TraceEvent both = message(EventKind::kSendrecv, 1, 16);
  both.source = 1;
  both.source_bytes = 24;
  both.source_tag = -3;
  TraceEvent exchange;
  exchange.kind = EventKind::kExchange;
  exchange.sent = {{0, 1}, {1, 2}};
  RankTrace trace = rank_of_two({message(EventKind::kIsend, 1, 8), wait, both, exchange},
                                {loop(5, {step(0), loop(2, {step(1)})}), step(2), step(3)});
  trace.n_events = 5 * 3 + 2;
  trace.tail_ns = 70;
  const auto read = parse_rank_trace(rank_file(trace), "file");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read.value().incomplete, "");
  EXPECT_EQ(read.value().tail_ns, 70u);
  const auto compared = compare_traces({trace}, {read.value()});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared.value().all.identical, 17u);
  EXPECT_FALSE(compared.value().first_difference);
}

}  // namespace
}  // namespace scalediag::loggp
