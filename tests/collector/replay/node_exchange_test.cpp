// Messages between processes of a node.
#include "pmpi-comm/replay/node_exchange.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/core/temporary_folder.h"

namespace scalediag::pmpi {
namespace {

using Channel = NodeExchange::Channel;
using Message = std::optional<std::string>;

Message received(NodeExchange& exchange, int from, const Channel& channel, uint64_t before) {
  const auto contents = exchange.receive(from, channel, before, {});
  return contents ? Message(contents->view()) : std::nullopt;
}

class Exchange : public ::testing::Test {
 protected:
  // Runs rank 5 in a child, whose result is its exit status: 0 if it is content; and `here` as rank 4.
  void run(const std::function<bool(NodeExchange&)>& there, const std::function<void(NodeExchange&)>& here) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      NodeExchange exchange;
      const bool is_content = exchange.join(folder_.file("."), 5, 4, 2).empty() && there(exchange);
      exchange.leave();
      _exit(is_content ? 0 : 1);
    }
    NodeExchange exchange;
    alarm(60);
    ASSERT_EQ(exchange.join(folder_.file("."), 4, 4, 2), "");
    here(exchange);
    exchange.leave();
    int status = -1;
    waitpid(child, &status, 0);
    alarm(0);
    EXPECT_EQ(status, 0);
  }
  const core::TemporaryFolder folder_;
};

TEST_F(Exchange, AMessageIsTakenByItsPlaceInItsChannel) {
  run(
      [](NodeExchange& exchange) {
        exchange.send(4, {1, 7}, "first");
        exchange.send(4, {1, -1}, "");
        exchange.send(4, {1, 7}, "second");
        exchange.send(4, {2, 7}, "elsewhere");
        return true;
      },
      [](NodeExchange& exchange) {
        EXPECT_EQ(received(exchange, 5, {1, 7}, 1), Message("second"));
        EXPECT_EQ(received(exchange, 5, {2, 7}, 0), Message("elsewhere"));
        EXPECT_EQ(received(exchange, 5, {1, 7}, 0), Message("first"));
        EXPECT_EQ(received(exchange, 5, {1, -1}, 0), Message(""));
        // The other rank has left, and a message is had once.
        EXPECT_EQ(received(exchange, 5, {1, 7}, 2), std::nullopt);
        EXPECT_EQ(received(exchange, 5, {1, 7}, 0), std::nullopt);
      });
}

// More than the shared memory holds: each has to take in the other's while it sends.
TEST_F(Exchange, BothSendALotBeforeTheyReceive) {
  const std::string a(20'000'000, 'a'), b(20'000'000, 'b');
  run(
      [&](NodeExchange& exchange) {
        exchange.send(4, {1, 0}, b);
        return received(exchange, 4, {1, 0}, 0) == Message(a);
      },
      [&](NodeExchange& exchange) {
        exchange.send(5, {1, 0}, a);
        EXPECT_TRUE(received(exchange, 5, {1, 0}, 0) == Message(b));
      });
}

// What a receive waits for goes to its place, however often the ring wraps around; what comes before it does not, nor
// what has another length.
TEST_F(Exchange, WhatIsAwaitedGoesToItsPlace) {
  std::string large(1'000'003, ' ');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 23);
  run(
      [&](NodeExchange& exchange) {
        exchange.send(4, {1, 0}, "other");
        exchange.send(4, {1, 7}, "early");
        exchange.send(4, {1, 7}, large);
        exchange.send(4, {1, 7}, "short");
        return true;
      },
      [&](NodeExchange& exchange) {
        std::string room(large.size(), 'x');
        const auto contents = exchange.receive(5, {1, 7}, 1, {room.data(), room.size()});
        ASSERT_TRUE(contents.has_value());
        EXPECT_TRUE(contents->is_placed);
        EXPECT_TRUE(room == large);
        const auto unlike = exchange.receive(5, {1, 7}, 2, {room.data(), room.size()});
        ASSERT_TRUE(unlike.has_value());
        EXPECT_EQ(unlike->view(), "short");
        EXPECT_TRUE(room == large);
        EXPECT_EQ(received(exchange, 5, {1, 7}, 0), Message("early"));
        EXPECT_EQ(received(exchange, 5, {1, 0}, 0), Message("other"));
      });
}

TEST_F(Exchange, TellsWhenAllOthersAreDone) {
  run(
      [](NodeExchange& exchange) {
        if (exchange.are_all_done()) return false;
        exchange.be_done();
        exchange.send(4, {1, 0}, "done");
        return received(exchange, 4, {1, 0}, 0) == Message("on");
      },
      [](NodeExchange& exchange) {
        EXPECT_EQ(received(exchange, 5, {1, 0}, 0), Message("done"));
        EXPECT_TRUE(exchange.are_all_done());
        exchange.send(5, {1, 0}, "on");  // who is done still receives
      });
}

TEST_F(Exchange, WhoHasLeftGetsNothing) {
  run(
      [](NodeExchange& exchange) {
        return received(exchange, 4, {1, 0}, 0) == std::nullopt;
      },
      [](NodeExchange& exchange) { exchange.leave(); });
  run([](NodeExchange&) { return true; },
      [](NodeExchange& exchange) {
        EXPECT_EQ(received(exchange, 5, {1, 0}, 0), std::nullopt);
        exchange.send(5, {1, 0}, std::string(5'000'000, 'x'));
      });
}

// A socket on which nobody answers is that of rank 4's replay before this one: rank 5 waits for the next.
TEST_F(Exchange, WaitsForARankThatStillListensForAnEarlierReplay) {
  const std::string path = folder_.file("4");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int earlier = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(earlier, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(earlier, 2), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(earlier);
    alarm(60);
    NodeExchange exchange;
    _exit(exchange.join(folder_.file("."), 5, 4, 2).empty() ? 0 : 1);
  }
  alarm(60);
  const int called = accept(earlier, nullptr, nullptr);
  ASSERT_GE(called, 0);
  close(called);
  close(earlier);
  NodeExchange exchange;
  EXPECT_EQ(exchange.join(folder_.file("."), 4, 4, 2), "");
  int status = -1;
  waitpid(child, &status, 0);
  alarm(0);
  EXPECT_EQ(status, 0);
}

TEST_F(Exchange, ARankMayWriteToItself) {
  NodeExchange exchange;
  ASSERT_EQ(exchange.join(folder_.file("."), 3, 3, 1), "");
  exchange.send(3, {1, 0}, "mine");
  EXPECT_EQ(received(exchange, 3, {1, 0}, 0), Message("mine"));
  EXPECT_EQ(received(exchange, 3, {1, 0}, 1), std::nullopt);
}

TEST_F(Exchange, NamesAFolderThatIsNotThere) {
  NodeExchange exchange;
  EXPECT_NE(exchange.join(folder_.file("none"), 3, 3, 1).find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::pmpi
