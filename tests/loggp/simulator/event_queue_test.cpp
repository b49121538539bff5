#include "loggp/simulator/event_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace scalediag::loggp {
namespace {

// Each event that is removed adds up to two later ones: many at the same time, a few long after all others, and some at
// the very time of the one that was removed, with any sender.
TEST(EventQueue, GivesTheEarliestAndOfThoseTheLowestSender) {
  constexpr size_t kMost = 20'000;
  EventQueue queue;
  std::multiset<std::pair<double, uint32_t>> expected;
  const auto add = [&](double at_s, uint32_t sender) {
    queue.push({at_s, sender});
    expected.emplace(at_s, sender);
  };
  std::mt19937 random(1);
  for (uint32_t sender = 0; sender < 5000; ++sender) add(sender % 3, sender);
  for (size_t step = 0; !expected.empty(); ++step) {
    ASSERT_FALSE(queue.empty());
    const EventQueue::Event first = queue.top();
    ASSERT_EQ(std::pair(first.at_s, first.sender), *expected.begin()) << step;
    queue.pop();
    expected.erase(expected.begin());
    if (step > 3 * kMost) continue;
    const size_t more = expected.size() < kMost ? random() % 3 : 0;
    for (size_t i = 0; i < more; ++i) {
      const auto kind = random() % 10;
      const double later_s = kind == 0 ? 0 : kind == 1 ? 1000 : 0.25 * static_cast<double>(random() % 8);
      add(first.at_s + later_s, static_cast<uint32_t>(random() % 100));
    }
  }
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace scalediag::loggp
