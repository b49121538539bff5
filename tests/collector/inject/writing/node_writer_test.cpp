#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collector/inject/writing/node_place.h"
#include "collector/inject/writing/raw_writer.h"
#include "core/raw/node_file.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::inject {
namespace {

raw::Encoder numbers(uint32_t n, uint32_t value) {
  raw::Encoder e;
  for (uint32_t i = 0; i < n; ++i) e.u32(value);
  return e;
}

class NodeWriterTest : public testing::Test {
 protected:
  std::string node() const { return folder_.path() + "/node"; }
  std::string scratch() const { return folder_.path() + "/scratch"; }
  // Each run has a number of its own behind that name.
  int left_in_scratch() const {
    int n = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      n += file.path().filename().string().starts_with("scratch.") ? 1 : 0;
    }
    return n;
  }
  // By rank.
  std::vector<std::string> streams() const {
    std::vector<std::string> contents;
    const auto file = core::StreamFile::open(node());
    if (!file) return contents;
    const auto found = file.value().streams();
    for (const core::RankStream& stream : found.value()) {
      std::string& content = contents.emplace_back(stream.size, '?');
      EXPECT_TRUE(file.value().read(stream, 0, content.data(), content.size()));
    }
    return contents;
  }
  // The bytes that a file of the rank's own would have.
  std::string own_file(uint32_t rank, uint32_t chunks) const {
    const std::string path = folder_.path() + "/own";
    std::filesystem::remove(path);
    RawWriter w;
    EXPECT_EQ(w.create(path, rank), 0);
    write(w, chunks);
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(RawWriter& w, uint32_t chunks) {
    for (uint32_t i = 0; i < chunks; ++i) {
      EXPECT_TRUE(w.append(raw::ChunkKind::kOperationNames, numbers(i, i)));
    }
    EXPECT_TRUE(w.append_footer(0, 0));
  }

  core::TemporaryFolder folder_;
};

TEST_F(NodeWriterTest, StreamsOfRanksAreWhatTheirFilesWouldBe) {
  RawWriter a, b;
  ASSERT_EQ(a.create_in_node(node(), "", 3), 0);
  ASSERT_EQ(b.create_in_node(node(), "", 4), 0);
  write(b, 2);
  write(a, 5);
  EXPECT_EQ(streams(), (std::vector<std::string>{own_file(3, 5), own_file(4, 2)}));
}

TEST_F(NodeWriterTest, ProcessesThatAppendAtOnceLoseNothing) {
  constexpr uint32_t kRanks = 8, kChunks = 200;
  std::vector<pid_t> children;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      RawWriter w;
      if (w.create_in_node(node(), "", rank) != 0) _exit(1);
      write(w, kChunks);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto all = streams();
  ASSERT_EQ(all.size(), kRanks);
  for (uint32_t rank = 0; rank < kRanks; ++rank) EXPECT_EQ(all[rank], own_file(rank, kChunks)) << rank;
}

TEST_F(NodeWriterTest, AStoppedRankSaysWhyAndTheOthersGoOn) {
  RawWriter a, b;
  ASSERT_EQ(a.create_in_node(node(), "", 1), 0);
  ASSERT_EQ(b.create_in_node(node(), "", 2), 0);
  a.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  EXPECT_FALSE(a.append(raw::ChunkKind::kOperationNames, numbers(1, 1)));
  write(b, 1);
  const auto all = streams();
  ASSERT_EQ(all.size(), 2u);
  raw::Prelude prelude;
  ASSERT_EQ(all[0].size(), sizeof prelude);
  std::memcpy(&prelude, all[0].data(), sizeof prelude);
  EXPECT_EQ(prelude.stop_reason, static_cast<uint32_t>(raw::StopReason::kOutOfMemory));
  EXPECT_EQ(prelude.stop_errno, static_cast<uint32_t>(ENOMEM));
  EXPECT_EQ(all[1], own_file(2, 1));
}

// A limit on the file size replaces a full disk: a part of the chunk fits, and others then write behind it.
TEST_F(NodeWriterTest, APartOfAChunkOnAFullDiskTakesNothingFromOthers) {
  RawWriter a, b;
  ASSERT_EQ(a.create_in_node(node(), "", 1), 0);
  ASSERT_EQ(b.create_in_node(node(), "", 2), 0);
  struct stat status {};
  ASSERT_EQ(stat(node().c_str(), &status), 0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  // A header of 48 bytes and 16 bytes of the chunk.
  rlimit full = before;
  full.rlim_cur = static_cast<rlim_t>(status.st_size) + 64;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  EXPECT_FALSE(a.append(raw::ChunkKind::kOperationNames, numbers(1000, 7)));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  write(b, 3);
  const auto all = streams();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].size(), sizeof(raw::Prelude) + 16);
  raw::Prelude prelude;
  std::memcpy(&prelude, all[0].data(), sizeof prelude);
  EXPECT_EQ(prelude.stop_reason, static_cast<uint32_t>(raw::StopReason::kWriteFailed));
  EXPECT_EQ(all[1], own_file(2, 3));
}

TEST_F(NodeWriterTest, AFileThatTheApplicationClosedIsOpenedAgain) {
  RawWriter a;
  ASSERT_EQ(a.create_in_node(node(), "", 1), 0);
  struct stat file {};
  ASSERT_EQ(stat(node().c_str(), &file), 0);
  int closed = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    struct stat open_file {};
    if (fstat(fd, &open_file) != 0 || open_file.st_ino != file.st_ino || open_file.st_dev != file.st_dev) continue;
    close(fd);
    ++closed;
  }
  ASSERT_GT(closed, 0);
  write(a, 2);
  EXPECT_EQ(streams(), std::vector<std::string>{own_file(1, 2)});
}

TEST_F(NodeWriterTest, WhatIsInScratchComesToTheNodesFileWhenItIsPublished) {
  RawWriter a;
  ASSERT_EQ(a.create_in_node(node(), scratch(), 6), 0);
  a.publish(false);
  EXPECT_EQ(streams(), std::vector<std::string>{own_file(6, 0).substr(0, sizeof(raw::Prelude))});
  write(a, 4);
  EXPECT_EQ(streams().front().size(), sizeof(raw::Prelude));
  a.publish(false);
  EXPECT_EQ(streams(), std::vector<std::string>{own_file(6, 4)});
  EXPECT_EQ(left_in_scratch(), 1);
  a.publish(true);
  EXPECT_EQ(streams(), std::vector<std::string>{own_file(6, 4)});
  EXPECT_EQ(left_in_scratch(), 0);
}

TEST_F(NodeWriterTest, AReasonToStopReachesWhatWasPublishedBefore) {
  RawWriter a;
  ASSERT_EQ(a.create_in_node(node(), scratch(), 6), 0);
  a.publish(false);
  a.stop(raw::StopReason::kAborted, 0);
  a.publish(true);
  raw::Prelude prelude;
  std::memcpy(&prelude, streams().front().data(), sizeof prelude);
  EXPECT_EQ(prelude.stop_reason, static_cast<uint32_t>(raw::StopReason::kAborted));
}

TEST_F(NodeWriterTest, AScratchFolderThatIsMissingIsAnError) {
  RawWriter a;
  EXPECT_EQ(a.create_in_node(node(), folder_.path() + "/none/scratch", 0), ENOENT);
  EXPECT_FALSE(std::filesystem::exists(node()));
}

TEST(NodePlace, TheScratchFolderIsThatOfTheJob) {
  unsetenv("SLURM_TMPDIR");
  setenv("TMPDIR", "/tmp/of-user", 1);
  EXPECT_EQ(scratch_folder("auto"), "/tmp/of-user");
  setenv("SLURM_TMPDIR", "/tmp/of-job", 1);
  EXPECT_EQ(scratch_folder("auto"), "/tmp/of-job");
  EXPECT_EQ(scratch_folder("/named"), "/named");
  unsetenv("SLURM_TMPDIR");
  unsetenv("TMPDIR");
  EXPECT_EQ(scratch_folder("auto"), "/tmp");
}

TEST(NodePlace, RanksOfAHostHaveOneFile) {
  const std::string path = node_file_path("/run", ".raw");
  EXPECT_EQ(path, node_file_path("/run", ".raw"));
  EXPECT_EQ(path.rfind("/run/node-", 0), 0u) << path;
  EXPECT_EQ(path.substr(path.size() - 4), ".raw");
}

}  // namespace
}  // namespace scalediag::inject
