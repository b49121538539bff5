// What others put into a window: the differences that are recorded, and applied to the memory of a replay.
#include "pmpi-comm/replay/windows.h"

#include <gtest/gtest.h>

#include "tests/collector/replay/memory_sink.h"

namespace scalediag::pmpi {
namespace {

class Differences : public ::testing::Test {
 protected:
  // Records that `memory` has changed to `now`, and gives it to a replay whose memory is `memory`.
  bool replay(std::string memory, std::string now) {
    MemorySink sink;
    CallLog recorder;
    recorder.record(sink);
    logged = memory;
    EXPECT_TRUE(pass_differences(recorder, now.data(), now.size(), logged));
    recorder.flush();
    stream_bytes = recorder.stream_bytes();
    EXPECT_EQ(logged, now);
    CallLog player;
    message_log::Identity identity;
    std::string none;
    EXPECT_TRUE(player.replay(sink.file, identity));
    replayed = std::move(memory);
    replayed.resize(room == 0 ? replayed.size() : room);
    return pass_differences(player, replayed.data(), replayed.size(), none) && player.ok();
  }
  std::string logged, replayed;
  uint64_t stream_bytes = 0;
  size_t room = 0;  // of the replay's memory, where it is not that of the recording
};

TEST_F(Differences, NothingPutIsOneByte) {
  EXPECT_TRUE(replay(std::string(10'000, 'a'), std::string(10'000, 'a')));
  EXPECT_EQ(stream_bytes, 1U);
  EXPECT_TRUE(replay("", ""));
}

// At both ends, over the end of a page, and in a last word that is not whole.
TEST_F(Differences, AreAppliedWhereTheyWereFound) {
  const std::string before(10'003, 'a');
  std::string now = before;
  for (const size_t at : {size_t{0}, size_t{4095}, size_t{4096}, size_t{7000}, size_t{10'002}}) now[at] = 'x';
  ASSERT_TRUE(replay(before, now));
  EXPECT_EQ(replayed, now);
}

// A word of 8 bytes at 4000, after 4000 bytes that are skipped: number of runs 1, gap 2, length 1 byte, and the word.
TEST_F(Differences, WhatIsTheSameIsNotLogged) {
  std::string now(10'000, 'a');
  now[4003] = 'x';
  ASSERT_TRUE(replay(std::string(10'000, 'a'), now));
  EXPECT_EQ(stream_bytes, 1U + 2 + 1 + 8);
}

// Such as those of a window that is smaller in the replay.
TEST_F(Differences, BeyondTheMemoryAreRefused) {
  std::string now(100, 'a');
  now[96] = 'x';
  room = 96;
  EXPECT_FALSE(replay(std::string(100, 'a'), now));
  room = 99;
  EXPECT_FALSE(replay(std::string(100, 'a'), now));
}

}  // namespace
}  // namespace scalediag::pmpi
