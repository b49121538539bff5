#include "collector/inject/counting/count_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace scalediag::inject {
namespace {

TEST(CountRing, GivesWhatWasPushedInOrderAndOnce) {
  CountRing ring;
  ASSERT_TRUE(ring.allocate(2));
  const uint64_t first[] = {10, 20};
  const uint64_t second[] = {30, 40};
  ring.push(0x100, 7, first);
  ring.push(0x200, 8, second);
  std::vector<std::vector<uint64_t>> seen;
  const auto keep = [&](uint64_t address, uint32_t operation, const uint64_t* counts) {
    seen.push_back({address, operation, counts[0], counts[1]});
  };
  ring.drain(keep);
  ring.drain(keep);
  EXPECT_EQ(seen, (std::vector<std::vector<uint64_t>>{{0x100, 7, 10, 20}, {0x200, 8, 30, 40}}));
}

TEST(CountRing, IsFullUntilItIsDrained) {
  CountRing ring;
  ASSERT_TRUE(ring.allocate(1));
  const uint64_t one = 1;
  for (size_t i = 0; i < CountRing::kSlots; ++i) {
    ASSERT_FALSE(ring.full());
    ring.push(i, 0, &one);
  }
  EXPECT_TRUE(ring.full());
  uint64_t sum = 0;
  ring.drain([&](uint64_t, uint32_t, const uint64_t* counts) { sum += counts[0]; });
  EXPECT_EQ(sum, CountRing::kSlots);
  EXPECT_FALSE(ring.full());
}

TEST(CountRing, NothingIsLostBetweenTwoThreads) {
  CountRing ring;
  ASSERT_TRUE(ring.allocate(1));
  constexpr uint64_t kPushes = 200000;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (uint64_t i = 1; i <= kPushes; ++i) {
      while (ring.full()) std::this_thread::yield();
      ring.push(i, 0, &i);
    }
    done = true;
  });
  uint64_t sum = 0;
  uint64_t last = 0;
  bool in_order = true;
  const auto add = [&](uint64_t address, uint32_t, const uint64_t* counts) {
    in_order = in_order && address == last + 1 && counts[0] == address;
    last = address;
    sum += counts[0];
  };
  while (!done) ring.drain(add);
  writer.join();
  ring.drain(add);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(sum, kPushes * (kPushes + 1) / 2);
}

}  // namespace
}  // namespace scalediag::inject
