// The stream inside the application: what is recorded is what a replay gets back, over the ends of chunks.
#include "pmpi-comm/replay/call_log.h"

#include <gtest/gtest.h>

#include <vector>

#include "pmpi-comm/replay/session.h"
#include "tests/collector/replay/memory_sink.h"

namespace scalediag::pmpi {
namespace {

message_log::Call send_of(int64_t bytes) {
  message_log::Call call;
  call.routine = kSend;
  call.communicator = 0;
  call.peer = 3;
  call.tag = -7;
  call.bytes = bytes;
  return call;
}

// A call, a number and 3 MB of data, which take several chunks.
void pass_all(CallLog& log, message_log::Call& call, uint64_t& number, std::vector<char>& data) {
  log.pass(call);
  log.pass_number(number);
  log.pass_bytes(data.data(), data.size());
}

TEST(CallLog, GivesBackWhatWasRecorded) {
  MemorySink sink;
  CallLog recorder;
  recorder.record(sink);
  message_log::Call call = send_of(800);
  uint64_t number = uint64_t{1} << 63;
  std::vector<char> data(3'000'000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 7);
  pass_all(recorder, call, number, data);
  recorder.flush();
  EXPECT_TRUE(recorder.ok());

  // Piece by piece in the calls, or all of it before, where that is allowed to take as much.
  for (const uint64_t most_ahead : {uint64_t{0}, recorder.stream_bytes() - 1, recorder.stream_bytes()}) {
    CallLog player;
    message_log::Identity identity;
    ASSERT_TRUE(player.replay(sink.file, identity, most_ahead));
    EXPECT_EQ(identity.rank, 1U);
    EXPECT_EQ(identity.size, 2U);
    const uint64_t ahead = player.unpacking_ticks();
    message_log::Call its_call;
    uint64_t its_number = 0;
    std::vector<char> its_data(data.size());
    pass_all(player, its_call, its_number, its_data);
    EXPECT_TRUE(player.ok());
    EXPECT_EQ(its_call, call);
    EXPECT_EQ(its_number, number);
    EXPECT_EQ(its_data, data);
    EXPECT_EQ(player.unpacking_ticks() == ahead, most_ahead == recorder.stream_bytes());
    // There is no more.
    player.pass_number(its_number);
    EXPECT_FALSE(player.ok());
  }
}

// What comes before is given back, also where all is unpacked at once.
TEST(CallLog, AChunkThatIsNoFrameBehindOthersEndsTheReplayThere) {
  MemorySink sink;
  CallLog recorder;
  recorder.record(sink);
  uint64_t number = 7;
  recorder.pass_number(number);
  recorder.flush();
  sink.write(message_log::ChunkKind::kCalls, "no frame of zstd");
  for (const uint64_t most_ahead : {0, 1000}) {
    CallLog player;
    message_log::Identity identity;
    ASSERT_TRUE(player.replay(sink.file, identity, most_ahead));
    uint64_t its_number = 0;
    player.pass_number(its_number);
    EXPECT_TRUE(player.ok());
    EXPECT_EQ(its_number, 7U);
    player.pass_number(its_number);
    EXPECT_FALSE(player.ok());
  }
}

TEST(CallLog, TakesLessRoomThanWhatItHolds) {
  MemorySink sink;
  CallLog recorder;
  recorder.record(sink);
  std::vector<char> data(20'000'000, 'x');
  recorder.pass_bytes(data.data(), data.size());
  recorder.flush();
  EXPECT_EQ(recorder.stream_bytes(), data.size());
  EXPECT_LT(sink.file.size(), data.size() / 100);
}

TEST(CallLog, AChunkThatIsNoFrameEndsTheReplay) {
  MemorySink sink;
  sink.write(message_log::ChunkKind::kCalls, "no frame of zstd");
  CallLog player;
  message_log::Identity identity;
  ASSERT_TRUE(player.replay(sink.file, identity));
  char byte = 0;
  player.pass(byte);
  EXPECT_FALSE(player.ok());
}

TEST(CallLog, EndsWhereItCannotBeWritten) {
  MemorySink sink;
  CallLog recorder;
  recorder.record(sink);
  sink.fails = true;
  std::vector<char> data(3'000'000);
  recorder.pass_bytes(data.data(), data.size());
  EXPECT_FALSE(recorder.ok());
}

TEST(CallLog, TellsACallInWords) {
  EXPECT_EQ(text_of(send_of(800)), "MPI_Send of 800 bytes to 3 with tag -7, communicator 0");
  message_log::Call bcast;
  bcast.routine = kBcast;
  bcast.communicator = 2;
  bcast.peer = 1;
  bcast.bytes = 16;
  bcast.room = 16;
  EXPECT_EQ(text_of(bcast), "MPI_Bcast of 16 bytes, root 1, room for 16 bytes, communicator 2");
  message_log::Call put = send_of(8);
  put.routine = kPut;
  put.communicator = 1;
  EXPECT_EQ(text_of(put), "MPI_Put of 8 bytes to 3, window 1");
  message_log::Call ended;
  ended.routine = kLoggedFinalize;
  EXPECT_EQ(text_of(ended), "MPI_Finalize");
  message_log::Call clock;
  clock.routine = kLoggedSystem + kSystem_clock_gettime;
  clock.room = 16;
  EXPECT_EQ(text_of(clock), "clock_gettime, room for 16 bytes");
}

}  // namespace
}  // namespace scalediag::pmpi
