#include "collector/emulate/event_relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace scalediag::emulate {
namespace {

using stream::Reply;

// A rank on another host, whose side the test plays.
class FarRank {
 public:
  // `key`: the text of stream::kKeyVariable.
  FarRank(const std::string& ways, const std::string& key)
      : key_(stream::key_of(key)), fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(std::stoul(ways.substr(1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit = {60, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    challenge_ = receive<stream::Challenge>();
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
  // The reply to who it says it is, with the proof.
  stream::Welcome say(stream::Hello hello) {
    hello.proof = stream::proof_of(key_, challenge_, hello);
    send_one(hello);
    return receive<stream::Welcome>();
  }
  const stream::Challenge& challenge() const { return challenge_; }
  bool is_hung_up() {
    char byte = 0;
    return recv(fd_, &byte, 1, 0) == 0;
  }

 private:
  raw::SipKey key_;
  int fd_ = -1;
  stream::Challenge challenge_;
};

class EventRelayTest : public testing::Test {
 protected:
  stream::Hello hello(uint32_t rank) const {
    stream::Hello hello;
    hello.run = channel_.value().header().run;
    hello.rank = rank;
    hello.ranks = 2;
    hello.nonce = 42;
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
  void SetUp() override { relay_.expect({"127.0.0.1"}); }

  EventRelay relay_{channel_.value()};
};

TEST_F(EventRelayTest, RankIsWelcomedWithWhatTheEmulationAsksFor) {
  FarRank rank(relay_.ways(), relay_.key());
  const stream::Welcome welcome = rank.say(hello(1));
  EXPECT_EQ(welcome.reply, Reply::kWelcome);
  EXPECT_TRUE(welcome.demands.virtual_wtime);
  EXPECT_FALSE(welcome.demands.virtual_order);
  EXPECT_TRUE(welcome.demands.marks_regions);
  EXPECT_EQ(welcome.demands.compute_factor, 2.5);
  EXPECT_TRUE(channel_.value().has_attached(1));
  EXPECT_FALSE(channel_.value().has_attached(0));
}

TEST_F(EventRelayTest, OthersAreTurnedAway) {
  FarRank rank(relay_.ways(), relay_.key());
  const auto reply_to = [&](const stream::Hello& hello) {
    return FarRank(relay_.ways(), relay_.key()).say(hello).reply;
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
  rank.say(hello(1));
  EXPECT_EQ(reply_to(hello(1)), Reply::kTwice);
}

TEST_F(EventRelayTest, SomebodyWhoIsNoRankIsHungUpOn) {
  FarRank rank(relay_.ways(), relay_.key());
  rank.send_bytes(std::string(sizeof(stream::Hello), 'x'));
  EXPECT_TRUE(rank.is_hung_up());
}

// Nobody without the key takes a rank's place, however well the rest of what it says is known.
TEST_F(EventRelayTest, StrangersAreNoRanks) {
  const std::string wrong_key(32, '1');
  EXPECT_EQ(FarRank(relay_.ways(), wrong_key).say(hello(1)).reply, Reply::kNoProof);
  FarRank first(relay_.ways(), relay_.key());
  stream::Hello overheard = hello(1);
  overheard.proof = stream::proof_of(stream::key_of(relay_.key()), first.challenge(), overheard);
  FarRank later(relay_.ways(), wrong_key);
  later.send_one(overheard);
  EXPECT_EQ(later.receive<stream::Welcome>().reply, Reply::kNoProof);
  EXPECT_FALSE(channel_.value().has_attached(1));
  EXPECT_EQ(first.say(hello(1)).reply, Reply::kWelcome);
}

TEST_F(EventRelayTest, NobodyCanConnectBeforeARankHasAsked) {
  EventRelay quiet(channel_.value());
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::stoul(quiet.ways().substr(1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  close(fd);
}

// More silent connections than there may be at a time: the first are closed, and a rank still comes in.
TEST_F(EventRelayTest, SilentConnectionsKeepNoRankOut) {
  std::vector<std::unique_ptr<FarRank>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<FarRank>(relay_.ways(), relay_.key()));
  EXPECT_EQ(FarRank(relay_.ways(), relay_.key()).say(hello(1)).reply, Reply::kWelcome);
  EXPECT_TRUE(silent.front()->is_hung_up());
}

// A rank that says that it tells more than its ring holds, or that it is in no state that there is.
TEST_F(EventRelayTest, ImpossibleNumbersEndTheConnection) {
  FarRank rank(relay_.ways(), relay_.key());
  rank.say(hello(1));
  stream::Told much = told("", stream::Attached::kYes);
  much.n_bytes = uint64_t{1} << 60;
  rank.send_one(much);
  EXPECT_TRUE(rank.is_hung_up());
  FarRank other(relay_.ways(), relay_.key());
  other.say(hello(0));
  stream::Told strange = told("", stream::Attached::kYes);
  strange.state.idle = 17;
  other.send_one(strange);
  EXPECT_TRUE(other.is_hung_up());
}

// More than there is room for at a time, in order.
TEST_F(EventRelayTest, BytesComeAsTheyWereTold) {
  FarRank rank(relay_.ways(), relay_.key());
  std::string bytes;
  while (bytes.size() < 5 * stream::kRingBytes) bytes += std::to_string(bytes.size()) + ",";
  constexpr size_t kPiece = stream::kRingBytes - 1;  // a rank tells no more at a time than its ring holds
  rank.say(hello(1));
  std::thread sender([&] {
    for (size_t at = 0; at < bytes.size(); at += kPiece) {
      const std::string piece = bytes.substr(at, kPiece);
      rank.send_one(told(piece, stream::Attached::kYes));
      rank.send_bytes(piece);
    }
  });
  EXPECT_EQ(read(bytes.size()), bytes);
  sender.join();
}

TEST_F(EventRelayTest, AnswersGoToTheRankThatAsked) {
  FarRank rank(relay_.ways(), relay_.key());
  rank.say(hello(1));
  channel_.value().answer(0, {1.0, 0, 0, 0});
  channel_.value().answer(1, {7.5, 1, 3, 9});
  const auto given = rank.receive<stream::Given>();
  EXPECT_EQ(given.is_over, 0u);
  EXPECT_EQ(given.answer.clock_s, 7.5);
  EXPECT_EQ(given.answer.rank, 3);
  EXPECT_EQ(given.answer.tag, 9);
  channel_.value().close();
  EXPECT_EQ(rank.receive<stream::Given>().is_over, 1u);
}

// A rank may end when it knows that everything has come, also its state.
TEST_F(EventRelayTest, EndIsConfirmedWhenAllHasCome) {
  FarRank rank(relay_.ways(), relay_.key());
  rank.say(hello(1));
  stream::Told last = told("abc", stream::Attached::kEnded);
  last.state.slept_ns = 2'000'000'000;
  rank.send_one(last);
  rank.send_bytes("abc");
  EXPECT_EQ(rank.receive<stream::Given>().is_over, 1u);
  EXPECT_TRUE(channel_.value().has_ended(1));
  EXPECT_EQ(channel_.value().sleep(1).told_s, 2);
  EXPECT_EQ(read(3), "abc");
}

TEST_F(EventRelayTest, RankThatComesAfterTheEndIsTold) {
  channel_.value().close();
  FarRank rank(relay_.ways(), relay_.key());
  EXPECT_EQ(rank.say(hello(1)).reply, Reply::kWelcome);
  EXPECT_EQ(rank.receive<stream::Given>().is_over, 1u);
}

TEST_F(EventRelayTest, LostConnectionIsAnErrorThatNamesRankAndHost) {
  FarRank rank(relay_.ways(), relay_.key());
  rank.say(hello(1));
  EXPECT_FALSE(relay_.look());
  rank.hang_up();
  std::optional<core::Error> lost;
  while (!(lost = relay_.look())) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(lost->message, "the connection to rank 1 on host node7 is lost");
}

}  // namespace
}  // namespace scalediag::emulate
