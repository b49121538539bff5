// Which message of a sender a receive met: places are derived from MPI's rule that receives get the messages that fit
// them in the order in which they began.
#include "pmpi-comm/replay/message_order.h"

#include <gtest/gtest.h>

namespace scalediag::pmpi {
namespace {

constexpr uint64_t kWorld = 1, kOther = 2;
using Place = std::optional<uint64_t>;

TEST(MessageOrder, CountsTheMessagesOfEachSenderTagAndCommunicator) {
  MessageOrder order;
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(0));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(1));
  EXPECT_EQ(order.met(order.begin(kWorld, 4, 7), 4, 7), Place(0));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 8), 3, 8), Place(0));
  EXPECT_EQ(order.met(order.begin(kOther, 3, 7), 3, 7), Place(0));
  EXPECT_EQ(order.met(order.begin(kWorld, std::nullopt, std::nullopt), 3, 7), Place(2));
}

TEST(MessageOrder, TheReceiveThatBeganFirstMetTheFirstMessageHoweverLateItIsComplete) {
  MessageOrder order;
  const uint64_t first = order.begin(kWorld, 3, 7), second = order.begin(kWorld, 3, 7);
  const uint64_t third = order.begin(kWorld, 3, 7);
  EXPECT_EQ(order.met(third, 3, 7), Place(2));
  EXPECT_EQ(order.met(first, 3, 7), Place(0));
  EXPECT_EQ(order.met(second, 3, 7), Place(1));
}

// The first may have met the sender's first message, or that of another one.
TEST(MessageOrder, IsNotKnownWhileAnEarlierReceiveMayHaveMetOne) {
  MessageOrder order;
  const uint64_t any = order.begin(kWorld, std::nullopt, 7), other_tag = order.begin(kWorld, std::nullopt, 8);
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), std::nullopt);
  EXPECT_EQ(order.met(order.begin(kOther, 3, 7), 3, 7), Place(0));
  // It was another one's, so that the one before was the first, and the next one is the second.
  EXPECT_EQ(order.met(any, 4, 7), Place(0));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(1));
  EXPECT_EQ(order.met(other_tag, 3, 8), Place(0));
}

TEST(MessageOrder, WhatACompleteReceiveMetCountsWhereItBegan) {
  MessageOrder order;
  const uint64_t any = order.begin(kWorld, std::nullopt, 7);
  const uint64_t second = order.begin(kWorld, 3, 7);
  EXPECT_EQ(order.met(second, 3, 7), std::nullopt);
  // Now it is: the first receive met the first message, and the second one the second.
  EXPECT_EQ(order.met(any, 3, 7), Place(0));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(2));
}

TEST(MessageOrder, CancelledReceivesMetNothing) {
  MessageOrder order;
  order.drop(order.begin(kWorld, std::nullopt, std::nullopt));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(0));
}

// Whether the cancelled receive met the first message or left it to the next one is known once it is complete.
TEST(MessageOrder, AReceiveThatMayBeCancelledMayHaveMetNothing) {
  MessageOrder order;
  const uint64_t left = order.begin(kWorld, 3, 7), met = order.begin(kWorld, 4, 7);
  order.doubt(left);
  order.doubt(met);
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), std::nullopt);
  EXPECT_EQ(order.met(order.begin(kWorld, 4, 7), 4, 7), std::nullopt);
  order.drop(left);
  EXPECT_EQ(order.met(met, 4, 7), Place(0));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(1));
  EXPECT_EQ(order.met(order.begin(kWorld, 4, 7), 4, 7), Place(2));
}

// One from a sender meets its message all the same; what one from anybody meets nobody will know.
TEST(MessageOrder, ReceivesThatWereLetGo) {
  MessageOrder order;
  order.lose(order.begin(kWorld, 3, 7));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), Place(1));
  order.lose(order.begin(kWorld, std::nullopt, 7));
  EXPECT_EQ(order.met(order.begin(kWorld, 3, 7), 3, 7), std::nullopt);
}

}  // namespace
}  // namespace scalediag::pmpi
