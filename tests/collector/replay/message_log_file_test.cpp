#include "collector/replay/message_log_file.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "tests/core/temporary_folder.h"

namespace scalediag::replay {
namespace {

using message_log::ChunkKind;

// A log in memory, as raw_writer.h writes one.
class LogBuilder {
 public:
  explicit LogBuilder(uint32_t version = message_log::kVersion) {
    raw::Prelude prelude{};
    std::memcpy(prelude.magic, message_log::kMagic, sizeof prelude.magic);
    prelude.version = version;
    prelude.byte_order = raw::kByteOrder;
    bytes.assign(reinterpret_cast<const char*>(&prelude), sizeof prelude);
  }
  LogBuilder& chunk(ChunkKind kind, const raw::Encoder& payload) {
    raw::ChunkHeader header{};
    header.kind = static_cast<uint32_t>(kind);
    header.payload_bytes = static_cast<uint32_t>(payload.size());
    header.crc32 = raw::chunk_crc(header, payload.data(), payload.size());
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(payload.data(), payload.size());
    for (uint32_t i = header.payload_bytes; i < raw::padded(header.payload_bytes); ++i) {
      padding.insert(bytes.size());
      bytes.push_back('\0');
    }
    return *this;
  }
  template <class Record> LogBuilder& record(ChunkKind kind, const Record& what) {
    raw::Encoder payload;
    raw::put(payload, what);
    return chunk(kind, payload);
  }
  LogBuilder& text(ChunkKind kind, const std::string& words, bool with_length) {
    raw::Encoder payload;
    with_length ? payload.string(words) : payload.bytes(words);
    return chunk(kind, payload);
  }
  std::string bytes;
  std::set<size_t> padding;  // the places of the zeros behind payloads
};

std::string compressed(const std::string& stream) {
  std::string frame(ZSTD_compressBound(stream.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), stream.data(), stream.size(), 1));
  return frame;
}

// Rank 3 of 8 with two calls, 16 bytes of them, of which one is an event.
LogBuilder whole_log(const std::string& refused = "") {
  LogBuilder log;
  message_log::Identity identity;
  identity.rank = 3;
  identity.size = 8;
  identity.host = "node";
  log.record(ChunkKind::kIdentity, identity);
  log.text(ChunkKind::kCalls, compressed("0123456789"), false).text(ChunkKind::kCalls, compressed("abcdef"), false);
  if (!refused.empty()) log.text(ChunkKind::kRefused, refused, true);
  log.record(ChunkKind::kEnd, message_log::End{2, 16, 0, 1}).record(ChunkKind::kFooter, raw::Footer{});
  return log;
}

class MessageLogFile : public ::testing::Test {
 protected:
  core::Result<MessageLog> check(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return check_message_log(path_);
  }
  const core::TemporaryFolder folder_;
  const std::string path_ = folder_.file("rank.messages");
};

TEST_F(MessageLogFile, TellsWhoseLogItIs) {
  const auto log = check(whole_log().bytes);
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log.value().identity.rank, 3U);
  EXPECT_EQ(log.value().identity.size, 8U);
  EXPECT_EQ(log.value().calls, 2U);
  EXPECT_EQ(log.value().events, 1U);
  EXPECT_EQ(log.value().refused, "");
}

TEST_F(MessageLogFile, TellsWhyItCannotBeReplayed) {
  const auto log = check(whole_log("MPI_Put was called").bytes);
  ASSERT_TRUE(log);
  EXPECT_EQ(log.value().refused, "MPI_Put was called");
}

TEST_F(MessageLogFile, IsRefusedWhereverItIsCutOff) {
  const std::string whole = whole_log().bytes;
  for (size_t n = 0; n < whole.size(); ++n) {
    const auto log = check(whole.substr(0, n));
    ASSERT_FALSE(log) << "cut off after " << n << " bytes";
    EXPECT_NE(log.error().message.find(path_), std::string::npos);
  }
}

// Recording never goes on after its end: what stands there came otherwise.
TEST_F(MessageLogFile, IsRefusedWhereSomethingFollowsItsEnd) {
  const std::string whole = whole_log().bytes;
  for (const std::string& more : {std::string("x"), std::string(5000, '\0'), std::string(5000, '\xa5'), whole}) {
    const auto log = check(whole + more);
    ASSERT_FALSE(log) << more.size();
    EXPECT_EQ(log.error().message, path_ + " is damaged at byte " + std::to_string(whole.size()));
  }
}

TEST_F(MessageLogFile, IsRefusedWhereAnyChunkHasChanged) {
  const LogBuilder whole = whole_log();
  for (size_t n = sizeof(raw::Prelude); n < whole.bytes.size(); ++n) {
    std::string changed = whole.bytes;
    changed[n] = static_cast<char>(changed[n] ^ 0x10);
    // The zeros behind a payload are covered by no checksum, and nobody reads them.
    EXPECT_EQ(check(changed).ok(), whole.padding.count(n) != 0) << "byte " << n;
  }
}

TEST_F(MessageLogFile, NamesTheFullDisk) {
  std::string bytes = whole_log().bytes;
  raw::Prelude prelude;
  std::memcpy(&prelude, bytes.data(), sizeof prelude);
  prelude.stop_reason = static_cast<uint32_t>(raw::StopReason::kWriteFailed);
  prelude.stop_errno = ENOSPC;
  std::memcpy(bytes.data(), &prelude, sizeof prelude);
  bytes.resize(bytes.size() - 40);
  const auto log = check(bytes);
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("No space left on device"), std::string::npos) << log.error().message;
}

TEST_F(MessageLogFile, NamesAnotherVersionAndAForeignFile) {
  const auto newer = check(LogBuilder(message_log::kVersion + 1).bytes);
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("version " + std::to_string(message_log::kVersion + 1)), std::string::npos)
      << newer.error().message;
  const auto foreign = check("an image, a text, or anything else of more than 64 bytes, so that it is read on");
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("no message log"), std::string::npos) << foreign.error().message;
}

TEST_F(MessageLogFile, VectorsAreOfTheirRankAndWhole) {
  const double values[] = {0.5, 0.25};
  std::string bytes = "scalediag-vector 1 3 2\n";
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  std::ofstream(path_, std::ios::binary) << bytes;
  const auto vector = read_vector(path_, 3);
  ASSERT_TRUE(vector) << vector.error().message;
  EXPECT_EQ(vector.value(), (std::vector<double>{0.5, 0.25}));
  EXPECT_FALSE(read_vector(path_, 2));
  std::ofstream(path_, std::ios::binary) << bytes.substr(0, bytes.size() - 1);
  EXPECT_FALSE(read_vector(path_, 3));
}

}  // namespace
}  // namespace scalediag::replay
