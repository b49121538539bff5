#include "pmpi-comm/call_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "core/mpi_routines.h"

namespace scalediag::pmpi {
namespace {

TEST(CallTable, FindsTheSameEntryForTheSameKey) {
  CallTable table;
  CallEntry* first = table.call_entry(3, 4, 5);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->operation, 3u);
  EXPECT_EQ(first->communicator_size, 4u);
  EXPECT_EQ(first->size_bin, 5u);
  CallEntry* other = table.call_entry(3, 4, 6);
  EXPECT_NE(other, first);
  EXPECT_EQ(table.call_entry(3, 4, 5), first);
  EXPECT_EQ(table.call_entry(3, 4, 6), other);
  EXPECT_EQ(table.calls().size(), 2u);
}

TEST(CallTable, TellsKeysApartThatDifferInOnePart) {
  CallTable table;
  std::set<CallEntry*> entries;
  for (uint32_t operation : {0u, 1u}) {
    for (uint32_t size : {0u, 1u, 0xFFFFFFFFu}) {
      for (uint32_t bin : {0u, 1u, 64u}) entries.insert(table.call_entry(operation, size, bin));
    }
  }
  EXPECT_EQ(entries.size(), 2u * 3u * 3u);
}

// More than a block of entries and more than the index's first size.
TEST(CallTable, KeepsEntriesInPlaceWhileItGrows) {
  CallTable table;
  std::vector<CallEntry*> entries;
  for (uint32_t size = 0; size < 1000; ++size) {
    entries.push_back(table.call_entry(7, size, 1));
    entries.back()->calls.add(size);
  }
  for (uint32_t size = 0; size < 1000; ++size) EXPECT_EQ(table.call_entry(7, size, 1), entries[size]);
  uint32_t next = 0;
  table.calls().for_each([&](const CallEntry& e) {
    EXPECT_EQ(e.communicator_size, next);
    EXPECT_EQ(e.calls.get(), next);
    ++next;
  });
  EXPECT_EQ(next, 1000u);
}

TEST(CallTable, KeepsPeersApartByDirection) {
  CallTable table;
  PeerEntry* sent = table.peer_entry(5, raw::kSent);
  PeerEntry* put = table.peer_entry(5, raw::kPut);
  PeerEntry* unknown = table.peer_entry(raw::kUnknownPeer, raw::kSent);
  EXPECT_EQ((std::set<PeerEntry*>{sent, put, unknown}).size(), 3u);
  EXPECT_EQ(table.peer_entry(5, raw::kSent), sent);
  EXPECT_EQ(table.peer_entry(5, raw::kPut), put);
  EXPECT_EQ(table.peers().size(), 3u);
}

TEST(CallTable, ReaderOnAnotherThreadSeesOnlyWholeEntries) {
  constexpr uint32_t kEntries = 2000;
  CallTable table;
  std::atomic<bool> done{false};
  std::thread owner([&] {
    for (uint32_t i = 0; i < kEntries; ++i) {
      CallEntry* call = table.call_entry(i % mpi::kCountedRoutines, i + 1, 3);
      call->calls.add(1);
      call->bytes.add(7);
      table.peer_entry(i, raw::kSent)->messages.add(1);
    }
    done = true;
  });
  size_t seen_before = 0;
  while (!done) {
    size_t seen = 0;
    table.calls().for_each([&](const CallEntry& e) {
      EXPECT_EQ(e.communicator_size, seen + 1);
      EXPECT_EQ(e.operation, seen % mpi::kCountedRoutines);
      EXPECT_EQ(e.size_bin, 3u);
      EXPECT_LE(e.calls.get(), 1u);
      ++seen;
    });
    EXPECT_GE(seen, seen_before);
    seen_before = seen;
    table.peers().for_each([&](const PeerEntry& e) { EXPECT_LT(e.peer, kEntries); });
  }
  owner.join();
  EXPECT_EQ(table.calls().size(), kEntries);
  EXPECT_EQ(table.peers().size(), kEntries);
}

TEST(CallTable, TimesTheFirstPollsAndThenOneInEight) {
  CallTable table;
  for (uint32_t i = 0; i < CallTable::kPollsTimed; ++i) EXPECT_EQ(table.next_poll_weight(2), 1u);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(table.next_poll_weight(2), 8u);
    for (int i = 1; i < 8; ++i) EXPECT_EQ(table.next_poll_weight(2), 0u);
  }
  // Each operation has its own count.
  EXPECT_EQ(table.next_poll_weight(3), 1u);
}

// Every call has to stand for one: then the sum of weighted times is an unbiased estimate of the sum of times.
TEST(CallTable, WeightsOfPollsAddUpToTheirNumber) {
  CallTable table;
  uint64_t sum = 0;
  for (int i = 0; i < 64 + 8 * 100; ++i) sum += table.next_poll_weight(0);
  EXPECT_EQ(sum, 864u);
}

// 0 has a bin of its own; then bin b holds 2^(b-1) <= bytes < 2^b.
TEST(SizeBin, IsOnePlusTheFloorOfTheLogarithm) {
  EXPECT_EQ(raw::size_bin(0), 0u);
  EXPECT_EQ(raw::size_bin(1), 1u);
  EXPECT_EQ(raw::size_bin(2), 2u);
  EXPECT_EQ(raw::size_bin(3), 2u);
  EXPECT_EQ(raw::size_bin(4), 3u);
  EXPECT_EQ(raw::size_bin(1023), 10u);
  EXPECT_EQ(raw::size_bin(1024), 11u);
  EXPECT_EQ(raw::size_bin(~uint64_t{0}), 64u);
}

}  // namespace
}  // namespace scalediag::pmpi
