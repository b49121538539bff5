#include "collector/emulate/poll_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/mpi_routines.h"

namespace scalediag::emulate {
namespace {

using std::chrono::seconds;

// Two ranks, whose side of the memory the test writes, and a patience of 10 s.
class PollWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    const int fd = open(channel_.value().path().c_str(), O_RDWR | O_CLOEXEC);
    memory_ = mmap(nullptr, channel_.value().bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    ASSERT_NE(memory_, MAP_FAILED);
    for (uint32_t r = 0; r < 2; ++r) {
      lane(r).attached = static_cast<uint32_t>(stream::Attached::kYes);
      lane(r).polled_with = mpi::kTest;
      polls(r, 0, 0);
    }
    EXPECT_EQ(look(false, 0), "");
  }
  void TearDown() override { munmap(memory_, channel_.value().bytes()); }

  stream::Lane& lane(uint32_t rank) {
    return reinterpret_cast<stream::Lane*>(static_cast<char*>(memory_) + stream::lanes_at())[rank];
  }
  void polls(uint32_t rank, uint64_t times, uint64_t computed_ns) {
    lane(rank).idle = static_cast<uint32_t>(stream::Idle::kPolls);
    lane(rank).polls += times;
    lane(rank).untold_ns += computed_ns;
  }
  std::string look(bool told, int at_s) { return watch_.look(channel_.value(), told, start_ + seconds(at_s)); }

  core::Result<EventChannel> channel_ = EventChannel::open(2, {});
  void* memory_ = nullptr;
  const PollWatch::Time start_ = std::chrono::steady_clock::now();
  PollWatch watch_{10, start_};
};

TEST_F(PollWatchTest, RanksThatOnlyPollAreNamedAfterThePatience) {
  polls(0, 1000, 1000 * 100);
  polls(1, 2000, 0);
  EXPECT_EQ(look(false, 9), "");
  EXPECT_EQ(look(false, 11), "rank 0 with MPI_Test (1000 times), rank 1 with MPI_Test (2000 times)");
}

TEST_F(PollWatchTest, OneThatWaitsForAnotherIsStuckWithIt) {
  polls(0, 1000, 0);
  lane(1).idle = static_cast<uint32_t>(stream::Idle::kInsideTold);
  EXPECT_EQ(look(false, 11), "rank 0 with MPI_Test (1000 times)");
}

TEST_F(PollWatchTest, WhatRanksTellBeginsThePatienceAgain) {
  polls(0, 1000, 0);
  polls(1, 1000, 0);
  EXPECT_EQ(look(true, 8), "");
  EXPECT_EQ(look(false, 9), "");
  polls(0, 1000, 0);
  polls(1, 1000, 0);
  EXPECT_EQ(look(false, 17), "");
  EXPECT_NE(look(false, 18), "");
}

// 5 us of computation between polls, as one that works on something else; one that computes; one that polls seldom.
TEST_F(PollWatchTest, RanksThatDoSomethingElseMayGoOn) {
  polls(0, 1000, 0);
  polls(1, 1000, 5'000'000);
  EXPECT_EQ(look(false, 11), "");
  lane(1).idle = static_cast<uint32_t>(stream::Idle::kComputes);
  EXPECT_EQ(look(false, 12), "");
}
TEST_F(PollWatchTest, RankThatPollsSeldomMayGoOn) {
  polls(0, 1000, 0);
  polls(1, 2, 0);
  EXPECT_EQ(look(false, 11), "");
}

// Nobody polls: all are in calls, which a large message may end.
TEST_F(PollWatchTest, RanksInCallsAreNoPolls) {
  for (uint32_t r = 0; r < 2; ++r) lane(r).idle = static_cast<uint32_t>(stream::Idle::kInsideTold);
  EXPECT_EQ(look(false, 11), "");
}

}  // namespace
}  // namespace scalediag::emulate
