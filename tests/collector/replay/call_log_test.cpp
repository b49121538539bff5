// The stream inside the application: what is recorded is what a replay gets back, over the ends of chunks.
#include "pmpi-comm/replay/call_log.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "pmpi-comm/replay/answered_routines.h"
#include "pmpi-comm/replay/session.h"

namespace scalediag::pmpi {
namespace {

// Keeps a log in memory, in the shape of its file.
class MemorySink : public LogSink {
 public:
  MemorySink() {
    raw::Prelude prelude{};
    std::memcpy(prelude.magic, message_log::kMagic, sizeof prelude.magic);
    prelude.version = message_log::kVersion;
    prelude.byte_order = raw::kByteOrder;
    file.assign(reinterpret_cast<const char*>(&prelude), sizeof prelude);
    raw::Encoder identity;
    raw::put(identity, message_log::Identity{1, 2, checksum_of_routines(), "host", "app", "MPI"});
    write(message_log::ChunkKind::kIdentity, {identity.data(), identity.size()});
  }
  bool write(message_log::ChunkKind kind, std::string_view payload) override {
    if (fails) return false;
    raw::ChunkHeader header{};
    header.kind = static_cast<uint32_t>(kind);
    header.payload_bytes = static_cast<uint32_t>(payload.size());
    file.append(reinterpret_cast<const char*>(&header), sizeof header);
    file.append(payload);
    file.resize(file.size() + raw::padded(header.payload_bytes) - header.payload_bytes);
    return true;
  }
  std::string file;
  bool fails = false;
};

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

  CallLog player;
  message_log::Identity identity;
  ASSERT_TRUE(player.replay(sink.file, identity));
  EXPECT_EQ(identity.rank, 1U);
  EXPECT_EQ(identity.size, 2U);
  message_log::Call its_call;
  uint64_t its_number = 0;
  std::vector<char> its_data(data.size());
  pass_all(player, its_call, its_number, its_data);
  EXPECT_TRUE(player.ok());
  EXPECT_EQ(its_call, call);
  EXPECT_EQ(its_number, number);
  EXPECT_EQ(its_data, data);
  // There is no more.
  player.pass_number(its_number);
  EXPECT_FALSE(player.ok());
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
  message_log::Call ended;
  ended.routine = kLoggedFinalize;
  EXPECT_EQ(text_of(ended), "MPI_Finalize");
}

}  // namespace
}  // namespace scalediag::pmpi
