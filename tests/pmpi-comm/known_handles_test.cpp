#include "pmpi-comm/known_handles.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace scalediag::pmpi {
namespace {

using Known = KnownHandles<int>;

std::unique_ptr<int> value(int v) { return std::make_unique<int>(v); }

TEST(KnownHandles, FindsWhatWasInserted) {
  Known known;
  Known::Cache cache{};
  EXPECT_EQ(known.find(1, cache), nullptr);
  known.insert(1, value(10), cache);
  // The same slot of the thread's cache.
  known.insert(1 + 8, value(20), cache);
  EXPECT_EQ(*known.find(1, cache), 10);
  EXPECT_EQ(*known.find(1 + 8, cache), 20);
}

// The null pointer is what an empty cache slot holds.
TEST(KnownHandles, DoesNotTakeAnEmptySlotForTheZeroHandle) {
  Known known;
  Known::Cache cache{};
  EXPECT_EQ(known.find(0, cache), nullptr);
}

TEST(KnownHandles, ForgetsInEveryThreadsCache) {
  Known known;
  Known::Cache mine{}, theirs{};
  known.insert(5, value(1), mine);
  EXPECT_EQ(*known.find(5, theirs), 1);
  known.forget(5);
  EXPECT_EQ(known.find(5, mine), nullptr);
  EXPECT_EQ(known.find(5, theirs), nullptr);
  // MPI gives the handle to a new object.
  known.insert(5, value(2), theirs);
  EXPECT_EQ(*known.find(5, mine), 2);
}

TEST(KnownHandles, ForgettingAnUnknownHandleKeepsTheOthers) {
  Known known;
  Known::Cache cache{};
  known.insert(5, value(1), cache);
  known.forget(6);
  EXPECT_EQ(*known.find(5, cache), 1);
  EXPECT_EQ(known.size(), 1u);
}

TEST(KnownHandles, ServesManyThreadsAtOnce) {
  Known known;
  Known::Cache cache{};
  for (uintptr_t h = 0; h < 16; ++h) known.insert(h, value(static_cast<int>(h)), cache);
  std::vector<std::thread> threads;
  for (uintptr_t t = 0; t < 4; ++t) {
    threads.emplace_back([&known, t] {
      Known::Cache own{};
      for (int i = 0; i < 2000; ++i) {
        for (uintptr_t h = 0; h < 16; ++h) ASSERT_EQ(*known.find(h, own), static_cast<int>(h));
        // A handle of this thread's own comes and goes.
        known.insert(100 + t, value(i), own);
        ASSERT_EQ(*known.find(100 + t, own), i);
        known.forget(100 + t);
        ASSERT_EQ(known.find(100 + t, own), nullptr);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(known.size(), 16u);
}

}  // namespace
}  // namespace scalediag::pmpi
