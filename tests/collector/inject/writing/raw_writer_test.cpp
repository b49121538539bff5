#include "collector/inject/writing/raw_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace scalediag::inject {
namespace {

class RawWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/scalediag-raw-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    path_ = folder_ + "/rank000003.raw";
  }
  void TearDown() override {
    unlink(path_.c_str());
    unlink((folder_ + "/other").c_str());
    rmdir(folder_.c_str());
  }
  std::string content() const {
    std::ifstream f(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
  }
  raw::Prelude prelude() const {
    raw::Prelude p{};
    const std::string s = content();
    std::memcpy(&p, s.data(), std::min(sizeof p, s.size()));
    return p;
  }
  std::string folder_, path_;
};

raw::Encoder payload_of(uint32_t value) {
  raw::Encoder e;
  e.u32(value);
  return e;
}

TEST_F(RawWriterTest, WritesPreludeChunksAndFooterAsTheFormatSays) {
  RawWriter w;
  ASSERT_EQ(w.create(path_, 3), 0);
  ASSERT_TRUE(w.append(raw::ChunkKind::kOperationNames, payload_of(42)));
  ASSERT_TRUE(w.append_footer(10, 1));
  const std::string s = content();
  // 64 prelude + (16 header + 4 payload + 4 padding) + (16 header + 8 + 8 + 4 + 4 footer)
  ASSERT_EQ(s.size(), 64u + 24u + 40u);
  EXPECT_EQ(std::memcmp(s.data(), raw::kMagic, 8), 0);
  raw::ChunkHeader h;
  std::memcpy(&h, s.data() + 64, sizeof h);
  EXPECT_EQ(h.kind, static_cast<uint32_t>(raw::ChunkKind::kOperationNames));
  EXPECT_EQ(h.payload_bytes, 4u);
  EXPECT_EQ(h.rank, 3u);
  EXPECT_EQ(h.crc32, raw::chunk_crc(h, s.data() + 80, 4));
  raw::Decoder footer(s.data() + 64 + 24 + 16, 24, false);
  EXPECT_EQ(footer.u64(), 10u);
  EXPECT_EQ(footer.u64(), 1u);
  EXPECT_EQ(footer.u32(), 1u) << "chunks before the footer";
  EXPECT_EQ(footer.u32(), raw::crc32(&h.crc32, 4));
}

TEST_F(RawWriterTest, RefusesAFileThatExists) {
  std::ofstream(path_) << "precious";
  RawWriter w;
  EXPECT_EQ(w.create(path_, 3), EEXIST);
  EXPECT_EQ(content(), "precious");
}

TEST_F(RawWriterTest, AfterAFailedWriteTheFileEndsWithTheLastWholeChunkAndSaysWhy) {
  // A limit on the file size replaces a full disk: the first chunk fits, the second does not. SIGXFSZ has its default
  // action, which would end this test.
  RawWriter w;
  ASSERT_EQ(w.create(path_, 3), 0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{64 + 24 + 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_TRUE(w.append(raw::ChunkKind::kOperationNames, payload_of(1)));
  EXPECT_FALSE(w.append(raw::ChunkKind::kOperationNames, payload_of(2)));
  EXPECT_FALSE(w.usable());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(content().size(), 64u + 24u);
  EXPECT_EQ(prelude().stop_reason, static_cast<uint32_t>(raw::StopReason::kWriteFailed));
  EXPECT_EQ(prelude().stop_errno, static_cast<uint32_t>(EFBIG));
}

volatile std::sig_atomic_t g_signals = 0;

TEST_F(RawWriterTest, SignalsOfTheApplicationsFileSizeLimitAreOnlyItsOwn) {
  struct sigaction count {
  }, before_action{};
  count.sa_handler = [](int) { g_signals = g_signals + 1; };
  ASSERT_EQ(sigaction(SIGXFSZ, &count, &before_action), 0);
  RawWriter w;
  ASSERT_EQ(w.create(path_, 3), 0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  EXPECT_FALSE(w.append(raw::ChunkKind::kOperationNames, payload_of(1)));
  EXPECT_EQ(g_signals, 0) << "of our write";

  // A pending signal that the application has blocked still arrives when it is unblocked: it was raised here, not by
  // us.
  sigset_t signal, mask, now;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &signal, &mask), 0);
  raise(SIGXFSZ);
  RawWriter other;
  EXPECT_EQ(other.create(folder_ + "/other", 4), EFBIG);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
  EXPECT_EQ(sigismember(&now, SIGXFSZ), 1);
  EXPECT_EQ(g_signals, 0);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &mask, nullptr), 0);
  EXPECT_EQ(g_signals, 1);

  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ(sigaction(SIGXFSZ, &before_action, nullptr), 0);
}

// The descriptor of the file of that path, or -1.
int descriptor_of(const std::string& path) {
  struct stat ours {};
  if (stat(path.c_str(), &ours) != 0) return -1;
  for (int fd = 3; fd < 1024; ++fd) {
    struct stat s {};
    if (fstat(fd, &s) == 0 && s.st_ino == ours.st_ino && s.st_dev == ours.st_dev) return fd;
  }
  return -1;
}

constexpr size_t kPrelude = 64, kChunk = 24, kFooter = 40;  // bytes of what these tests write

TEST_F(RawWriterTest, OpensItsFileAgainWhereTheApplicationHasClosedIt) {
  RawWriter w;
  ASSERT_EQ(w.create(path_, 3), 0);
  ASSERT_TRUE(w.append(raw::ChunkKind::kOperationNames, payload_of(1)));
  close(descriptor_of(path_));
  EXPECT_TRUE(w.append(raw::ChunkKind::kOperationNames, payload_of(2)));
  close(descriptor_of(path_));
  EXPECT_TRUE(w.append_footer(0, 0));
  EXPECT_EQ(content().size(), kPrelude + 2 * kChunk + kFooter);
  EXPECT_EQ(prelude().stop_reason, static_cast<uint32_t>(raw::StopReason::kNone));
  close(descriptor_of(path_));
  w.stop(raw::StopReason::kAborted, 0);
  EXPECT_EQ(prelude().stop_reason, static_cast<uint32_t>(raw::StopReason::kAborted));
}

TEST_F(RawWriterTest, DoesNotWriteIntoAFileThatTookItsDescriptor) {
  const std::string other = folder_ + "/other";
  const int theirs = open(other.c_str(), O_WRONLY | O_CREAT, 0644);
  int fd = -1;
  {
    RawWriter w;
    ASSERT_EQ(w.create(path_, 3), 0);
    // The application closes every descriptor and opens its own file under our number.
    fd = descriptor_of(path_);
    ASSERT_GE(fd, 200) << "low descriptors are the application's";
    ASSERT_EQ(dup2(theirs, fd), fd);
    EXPECT_TRUE(w.append(raw::ChunkKind::kOperationNames, payload_of(1)));
    EXPECT_EQ(content().size(), kPrelude + kChunk);
  }
  struct stat s {};
  ASSERT_EQ(fstat(fd, &s), 0) << "the application's descriptor was closed";
  EXPECT_EQ(s.st_size, 0);
  close(theirs);
  close(fd);
}

TEST_F(RawWriterTest, EndsWhereAnotherFileHasItsName) {
  RawWriter w;
  ASSERT_EQ(w.create(path_, 3), 0);
  const int fd = descriptor_of(path_);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  std::ofstream(path_) << "precious";
  close(fd);
  EXPECT_FALSE(w.append(raw::ChunkKind::kOperationNames, payload_of(1)));
  EXPECT_FALSE(w.usable());
  EXPECT_EQ(content(), "precious");
}

}  // namespace
}  // namespace scalediag::inject
