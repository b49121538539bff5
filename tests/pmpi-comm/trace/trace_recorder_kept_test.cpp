// Traces that are kept beside the events that are told at once.
#include <gtest/gtest.h>

#include "tests/pmpi-comm/trace/recorded.h"

namespace scalediag::pmpi {
namespace {

class Told : public TraceSink {
 public:
  bool write(trace::ChunkKind, const std::string&) override { return true; }
  bool event(uint32_t, uint64_t) override { return ++events_ > 0; }
  int events() const { return events_; }

 private:
  int events_ = 0;
};

// Takes `room` chunks.
class File : public TraceSink {
 public:
  explicit File(int room) : room_(room) { bytes_ = tests::prelude(); }
  bool write(trace::ChunkKind kind, const std::string& payload) override {
    if (room_-- <= 0) return false;
    tests::add_chunk(bytes_, kind, payload);
    return true;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  int room_;
  std::string bytes_;
};

class RecorderThatKeeps : public ::testing::Test {
 protected:
  // Three messages, of which each is told.
  void record(File& file) {
    TraceRecorder recorder(mpi_, told_, true);
    recorder.tell_events_at_once(&file);
    recorder.start({1, 4, "host", "app", "mpi"}, 1);
    for (int to : {0, 2, 3}) {
      std::vector<uintptr_t> values = {0, 3, kInt, word(to), 7, kWorld};
      const Arguments arguments(values.data(), Language::kC, Counts::kInt, mpi_);
      recorder.enter(kSend, arguments, values.data(), handles_, cache_);
      recorder.leave(kSend, arguments, true, handles_, cache_);
    }
    recorder.finish(trace::End::kFinalize, 1);
    is_broken_ = recorder.broken();
  }

  MpiLibrary mpi_ = fake_library();
  Handles handles_{mpi_};
  HandleCache cache_ = {};
  Told told_;
  bool is_broken_ = false;
};

TEST_F(RecorderThatKeeps, EveryEventIsToldAndInTheFile) {
  File file(100);
  record(file);
  EXPECT_EQ(told_.events(), 3);
  std::string bytes = file.bytes();
  tests::add_chunk(bytes, trace::ChunkKind::kFooter, "");
  const auto parsed = loggp::parse_rank_trace(bytes, "test");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed.value().n_events, 3U);
  EXPECT_EQ(parsed.value().elapsed_ns, 0U);
}

TEST_F(RecorderThatKeeps, AFullDiskEndsTheFileAndNotTheEmulation) {
  for (const int room : {0, 1, 2, 3}) {
    SCOPED_TRACE(room);
    told_ = {};
    File file(room);
    record(file);
    EXPECT_EQ(told_.events(), 3);
    EXPECT_FALSE(is_broken_);
  }
}

}  // namespace
}  // namespace scalediag::pmpi
