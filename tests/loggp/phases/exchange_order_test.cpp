#include "loggp/phases/exchange_order.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace scalediag::loggp {
namespace {

using Ends = std::vector<std::pair<size_t, size_t>>;

// Messages with these tags, one after another; 0: a wait; -1: another event.
std::vector<ExchangeEvent> events_of(const std::vector<int>& tags) {
  using Kind = ExchangeEvent::Kind;
  std::vector<ExchangeEvent> events;
  for (const int tag : tags) events.push_back({tag > 0 ? Kind::kMessage : tag == 0 ? Kind::kWait : Kind::kOther, tag});
  return events;
}

Ends ends(const std::vector<int>& sent, const std::vector<int>& received) {
  return ends_of_exchanges(events_of(sent), events_of(received));
}

TEST(ExchangeOrder, MessagesWithTheSameTagsAreTogether) {
  EXPECT_EQ(ends({1, 2, 3, 4}, {2, 1, 0, 4, 3, 0}), (Ends{{0, 0}, {2, 3}, {4, 6}}));
  EXPECT_EQ(ends({1, 2}, {1, 0}), (Ends{{0, 0}, {1, 2}})) << "the second is sent behind the wait";
  EXPECT_EQ(ends({2}, {1, 0, 2, 0}), (Ends{{0, 0}, {0, 2}, {1, 4}})) << "what only one has stands before it";
}

TEST(ExchangeOrder, OneExchangeOrNoneIsLeftAsItIs) {
  EXPECT_EQ(ends({1, 2}, {2, 1}), Ends{});
  EXPECT_EQ(ends({1, 2}, {3, 4}), Ends{});
  EXPECT_EQ(ends({1, 2}, {}), Ends{});
}

// What stands before a collective is no part of exchanges behind it.
TEST(ExchangeOrder, BeginsBehindCollectives) { EXPECT_EQ(ends({1, -1, 1, 2}, {1, 2}), (Ends{{2, 0}, {3, 1}, {4, 2}})); }

TEST(ExchangeOrder, BeginsBehindMessagesWhoseTagsComeAgain) {
  EXPECT_EQ(ends({1, 2, 1, 2}, {1, 2}), (Ends{{2, 0}, {3, 1}, {4, 2}}));
}

}  // namespace
}  // namespace scalediag::loggp
