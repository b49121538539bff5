#include "collector/emulate/event_relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace scalediag::emulate {
namespace {

using stream::Reply;

// A rank on another host, whose side the test plays.
class FarRank {
 public:
  explicit FarRank(const std::string& ways) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(std::stoul(ways.substr(1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit = {60, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~FarRank() { hang_up(); }
  FarRank(const FarRank&) = delete;
  FarRank& operator=(const FarRank&) = delete;

  void hang_up() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  template <class Message>
  void send_one(const Message& message) {
    send_bytes({reinterpret_cast<const char*>(&message), sizeof message});
  }
  void send_bytes(const std::string& bytes) {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  template <class Message>
  Message receive() {
    Message message{};
    EXPECT_EQ(recv(fd_, &message, sizeof message, MSG_WAITALL), static_cast<ssize_t>(sizeof message));
    return message;
  }
  bool is_hung_up() {
    char byte = 0;
    return recv(fd_, &byte, 1, 0) == 0;
  }

 private:
  int fd_ = -1;
};

class EventRelayTest : public testing::Test {
 protected:
  stream::Hello hello(uint32_t rank) const {
    stream::Hello hello;
    hello.run = channel_.value().header().run;
    hello.rank = rank;
    hello.ranks = 2;
    std::strcpy(hello.host, "node7");
    return hello;
  }
  static stream::Told told(const std::string& bytes, stream::Attached attached) {
    stream::Told told;
    told.state.attached = static_cast<uint32_t>(attached);
    told.n_bytes = bytes.size();
    return told;
  }
  // What rank 1 has told until it is so long.
  std::string read(size_t n) {
    std::string all;
    while (all.size() < n) {
      channel_.value().read([&](uint32_t rank, std::string_view bytes) {
        EXPECT_EQ(rank, 1u);
        all += bytes;
      });
      channel_.value().wait(0.01);
    }
    return all;
  }

  core::Result<EventChannel> channel_ = EventChannel::open(2, {true, false, true, 2.5});
  EventRelay relay_{channel_.value()};
  FarRank rank_{relay_.ways()};
};

TEST_F(EventRelayTest, RankIsWelcomedWithWhatTheEmulationAsksFor) {
  rank_.send_one(hello(1));
  const auto welcome = rank_.receive<stream::Welcome>();
  EXPECT_EQ(welcome.reply, Reply::kWelcome);
  EXPECT_TRUE(welcome.demands.virtual_wtime);
  EXPECT_FALSE(welcome.demands.virtual_order);
  EXPECT_TRUE(welcome.demands.marks_regions);
  EXPECT_EQ(welcome.demands.compute_factor, 2.5);
  EXPECT_TRUE(channel_.value().has_attached(1));
  EXPECT_FALSE(channel_.value().has_attached(0));
}

TEST_F(EventRelayTest, OthersAreTurnedAway) {
  const auto reply_to = [&](const stream::Hello& hello) {
    FarRank other(relay_.ways());
    other.send_one(hello);
    return other.receive<stream::Welcome>().reply;
  };
  stream::Hello wrong = hello(1);
  ++wrong.run;
  EXPECT_EQ(reply_to(wrong), Reply::kOtherRun);
  wrong = hello(1);
  wrong.version = stream::kVersion + 1;
  EXPECT_EQ(reply_to(wrong), Reply::kOtherVersion);
  wrong = hello(1);
  wrong.ranks = 3;
  EXPECT_EQ(reply_to(wrong), Reply::kOtherSize);
  EXPECT_EQ(reply_to(hello(2)), Reply::kOtherSize);
  rank_.send_one(hello(1));
  rank_.receive<stream::Welcome>();
  EXPECT_EQ(reply_to(hello(1)), Reply::kTwice);
}

TEST_F(EventRelayTest, SomebodyWhoIsNoRankIsHungUpOn) {
  rank_.send_bytes(std::string(sizeof(stream::Hello), 'x'));
  EXPECT_TRUE(rank_.is_hung_up());
}

// More than there is room for at a time, in order.
TEST_F(EventRelayTest, BytesComeAsTheyWereTold) {
  std::string bytes;
  while (bytes.size() < 5 * stream::kRingBytes) bytes += std::to_string(bytes.size()) + ",";
  rank_.send_one(hello(1));
  rank_.receive<stream::Welcome>();
  std::thread sender([&] {
    rank_.send_one(told(bytes, stream::Attached::kYes));
    rank_.send_bytes(bytes);
  });
  EXPECT_EQ(read(bytes.size()), bytes);
  sender.join();
}

TEST_F(EventRelayTest, AnswersGoToTheRankThatAsked) {
  rank_.send_one(hello(1));
  rank_.receive<stream::Welcome>();
  channel_.value().answer(0, {1.0, 0, 0, 0});
  channel_.value().answer(1, {7.5, 1, 3, 9});
  const auto given = rank_.receive<stream::Given>();
  EXPECT_EQ(given.is_over, 0u);
  EXPECT_EQ(given.answer.clock_s, 7.5);
  EXPECT_EQ(given.answer.rank, 3);
  EXPECT_EQ(given.answer.tag, 9);
  channel_.value().close();
  EXPECT_EQ(rank_.receive<stream::Given>().is_over, 1u);
}

// A rank may end when it knows that everything has come, also its state.
TEST_F(EventRelayTest, EndIsConfirmedWhenAllHasCome) {
  rank_.send_one(hello(1));
  rank_.receive<stream::Welcome>();
  stream::Told last = told("abc", stream::Attached::kEnded);
  last.state.slept_ns = 2'000'000'000;
  rank_.send_one(last);
  rank_.send_bytes("abc");
  EXPECT_EQ(rank_.receive<stream::Given>().is_over, 1u);
  EXPECT_TRUE(channel_.value().has_ended(1));
  EXPECT_EQ(channel_.value().sleep(1).told_s, 2);
  EXPECT_EQ(read(3), "abc");
}

TEST_F(EventRelayTest, RankThatComesAfterTheEndIsTold) {
  channel_.value().close();
  rank_.send_one(hello(1));
  EXPECT_EQ(rank_.receive<stream::Welcome>().reply, Reply::kWelcome);
  EXPECT_EQ(rank_.receive<stream::Given>().is_over, 1u);
}

TEST_F(EventRelayTest, LostConnectionIsAnErrorThatNamesRankAndHost) {
  rank_.send_one(hello(1));
  rank_.receive<stream::Welcome>();
  EXPECT_FALSE(relay_.look());
  rank_.hang_up();
  std::optional<core::Error> lost;
  while (!(lost = relay_.look())) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(lost->message, "the connection to rank 1 on host node7 is lost");
}

}  // namespace
}  // namespace scalediag::emulate
