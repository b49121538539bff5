#include "collector/inject/counting/call_totals.h"

#include <gtest/gtest.h>

namespace scalediag::inject {
namespace {

void count(pmpi::CallTable& table, uint32_t operation, uint64_t bytes, uint64_t ticks) {
  pmpi::CallEntry* e = table.call_entry(operation, 4, raw::size_bin(bytes));
  ASSERT_NE(e, nullptr);
  const bool first = e->calls.get() == 0;
  e->calls.add(1);
  e->bytes.add(bytes);
  e->ticks.add(ticks);
  if (first || ticks < e->min_ticks.get()) e->min_ticks.set(ticks);
  if (ticks > e->max_ticks.get()) e->max_ticks.set(ticks);
}

struct Written {
  uint32_t n = 0;
  uint64_t calls = 0, bytes = 0, ticks = 0, min_ticks = 0, max_ticks = 0;
};

// The last entry of a kOperations payload, and the number of entries.
Written written(CallTotals& totals) {
  raw::Encoder e;
  totals.write_changed_operations(e);
  raw::Decoder d(e.data(), e.size(), false);
  Written w;
  w.n = d.u32();
  for (uint32_t i = 0; i < w.n; ++i) {
    for (int k = 0; k < 4; ++k) d.u32();
    w.calls = d.u64();
    w.bytes = d.u64();
    w.ticks = d.u64();
    w.min_ticks = d.u64();
    w.max_ticks = d.u64();
  }
  EXPECT_TRUE(d.ok() && d.at_end());
  return w;
}

TEST(CallTotals, AddsThreadsOfOneClassAndKeepsThoseThatEnded) {
  CallTotals totals;
  pmpi::CallTable ended, running;
  count(ended, 5, 100, 30);
  count(running, 5, 100, 10);
  count(running, 5, 120, 50);  // the same power-of-two bin as 100
  totals.retire(raw::kOtherThread, ended);
  totals.begin();
  totals.add(raw::kOtherThread, running);
  const Written w = written(totals);
  ASSERT_EQ(w.n, 1u);
  EXPECT_EQ(w.calls, 3u);
  EXPECT_EQ(w.bytes, 320u);
  EXPECT_EQ(w.ticks, 90u);
  EXPECT_EQ(w.min_ticks, 10u);
  EXPECT_EQ(w.max_ticks, 50u);
}

TEST(CallTotals, WritesOnlyWhatChangedAndAlwaysTheRunningTotal) {
  CallTotals totals;
  pmpi::CallTable table;
  count(table, 1, 8, 10);
  count(table, 2, 8, 10);
  totals.begin();
  totals.add(raw::kMainThread, table);
  EXPECT_EQ(written(totals).n, 2u);
  count(table, 2, 8, 10);
  totals.begin();
  totals.add(raw::kMainThread, table);
  const Written w = written(totals);
  EXPECT_EQ(w.n, 1u);
  EXPECT_EQ(w.calls, 2u) << "a total, not a difference";
  totals.begin();
  totals.add(raw::kMainThread, table);
  EXPECT_EQ(written(totals).n, 0u);
}

TEST(CallTotals, ThreadClassesStayApart) {
  CallTotals totals;
  pmpi::CallTable table;
  count(table, 1, 8, 10);
  totals.begin();
  totals.add(raw::kMainThread, table);
  totals.add(raw::kOtherThread, table);
  EXPECT_EQ(written(totals).n, 2u);
}

TEST(CallTotals, CountsWhatAnEndedThreadCouldNotCountOnce) {
  CallTotals totals;
  pmpi::CallTable ended;
  ended.count_uncounted();
  totals.retire(raw::kOtherThread, ended);
  totals.begin();
  EXPECT_EQ(totals.uncounted(), 1u);
}

TEST(CallTotals, PollsThatWereNeverTimedKnowNoShortestCall) {
  CallTotals totals;
  pmpi::CallTable untimed, timed;
  untimed.call_entry(5, 4, 0)->calls.add(3);
  totals.begin();
  totals.add(raw::kMainThread, untimed);
  EXPECT_EQ(written(totals).min_ticks, 0u);
  count(timed, 5, 0, 25);
  totals.begin();
  totals.add(raw::kMainThread, untimed);
  totals.add(raw::kMainThread, timed);
  EXPECT_EQ(written(totals).min_ticks, 25u) << "not the 0 of those that were not timed";
}

TEST(CallTotals, NamesEachOperationOnce) {
  CallTotals totals;
  pmpi::CallTable table;
  count(table, 1, 8, 10);
  count(table, 1, 800, 10);
  totals.begin();
  totals.add(raw::kMainThread, table);
  raw::Encoder first, second;
  EXPECT_EQ(totals.write_new_names(first), 1u);
  EXPECT_EQ(totals.write_new_names(second), 0u);
}

TEST(CallTotals, SumsTrafficToAPeerOverThreads) {
  CallTotals totals;
  pmpi::CallTable a, b;
  for (pmpi::CallTable* t : {&a, &b}) {
    pmpi::PeerEntry* p = t->peer_entry(3, raw::kSent);
    ASSERT_NE(p, nullptr);
    p->messages.add(2);
    p->bytes.add(64);
  }
  totals.begin();
  totals.add(raw::kMainThread, a);
  totals.add(raw::kOtherThread, b);
  raw::Encoder e;
  ASSERT_EQ(totals.write_changed_peers(e), 1u);
  raw::Decoder d(e.data(), e.size(), false);
  d.u32();
  EXPECT_EQ(d.u32(), 3u);
  EXPECT_EQ(d.u32(), static_cast<uint32_t>(raw::kSent));
  EXPECT_EQ(d.u64(), 4u);
  EXPECT_EQ(d.u64(), 128u);
}

}  // namespace
}  // namespace scalediag::inject
