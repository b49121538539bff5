#include "loggp/phases/exchange_order.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;
using Ends = std::vector<std::pair<size_t, size_t>>;

// Messages with these tags, one after another; 0: a wait; -1: a collective.
std::vector<Slot> messages(EventKind kind, const std::vector<int>& tags) {
  Script s(4, 0);
  for (const int tag : tags) {
    if (tag < 0) {
      s.allreduce(8);
    } else if (tag == 0) {
      s.wait();
    } else {
      s.message(kind, 1, 8, tag);
    }
  }
  int next_id = 0;
  return slots_of(s.trace, next_id);
}

Ends ends(const std::vector<int>& sent, const std::vector<int>& received) {
  return ends_of_exchanges(messages(EventKind::kSend, sent), 0, sent.size(), messages(EventKind::kIrecv, received), 0,
                           received.size());
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
