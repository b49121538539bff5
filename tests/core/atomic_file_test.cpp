#include "core/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

size_t entries_of(const std::string& folder) {
  size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++n;
  return n;
}

// A disk that is full after `bytes` for files of this process: writing beyond fails with EFBIG instead of ENOSPC, on
// the same path through the code, and needs no mount.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : before_action_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_action_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*before_action_)(int);
};

TEST(AtomicFile, WritesAndReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  const std::string with_zero("one\0two", 7);
  ASSERT_TRUE(write_file_atomically(path, with_zero).ok());
  EXPECT_EQ(read_file(path).value(), with_zero);
  ASSERT_TRUE(write_file_atomically(path, "").ok());
  EXPECT_EQ(read_file(path).value(), "");
  EXPECT_EQ(entries_of(folder.path()), 1u);
}

TEST(AtomicFile, HasThePermissionsThatTheUmaskGives) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  const Status written = write_file_atomically(folder.file("a"), "x");
  ::umask(before);
  ASSERT_TRUE(written.ok());
  struct stat found {};
  ASSERT_EQ(::stat(folder.file("a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640u);  // 0666 & ~027
}

TEST(AtomicFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("profile.json");
  ASSERT_TRUE(write_file_atomically(path, "old").ok());
  const Status written = [&path] {
    const FullDisk disk(4096);
    return write_file_atomically(path, std::string(100000, 'x'));
  }();
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(written.error().where, path);
  EXPECT_NE(written.error().message.find("too large"), std::string::npos) << written.error().message;
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_EQ(entries_of(folder.path()), 1u);
}

TEST(AtomicFile, AMissingFolderIsNamedWithTheReason) {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/a");
  const Status written = write_file_atomically(path, "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "cannot write " + path + ": No such file or directory");
}

TEST(AtomicFile, AFileInPlaceOfTheFolderIsAnError) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.file("a"), "x").ok());
  EXPECT_FALSE(write_file_atomically(folder.file("a/b"), "y").ok());
  EXPECT_FALSE(write_file_atomically(folder.path(), "y").ok());
}

TEST(AtomicFile, WhatIsNoRegularFileIsNeverReplaced) {
  // A pipe of our own stands for devices. A link to a real device would not protect it, since links are followed: as
  // root, a mistake in the code under test would replace that device for the whole machine.
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("pipe", folder.file("link").c_str()), 0);
  for (const char* name : {"pipe", "link"}) {
    EXPECT_FALSE(write_file_atomically(folder.file(name), "x").ok()) << name;
    EXPECT_TRUE(std::filesystem::is_fifo(folder.file("pipe"))) << name;
  }
  EXPECT_EQ(entries_of(folder.path()), 2u);
}

TEST(AtomicFile, ALinkStaysAndItsTargetIsReplaced) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.file("target"), "old").ok());
  ASSERT_EQ(::symlink("target", folder.file("link").c_str()), 0);
  ASSERT_TRUE(write_file_atomically(folder.file("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("target")).value(), "new");
}

TEST(AtomicFile, AnOwnFileTakesThePlaceOfALink) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.file("target"), "old").ok());
  ASSERT_EQ(::symlink("target", folder.file("link").c_str()), 0);
  ASSERT_TRUE(write_own_file_atomically(folder.file("link"), "new").ok());
  EXPECT_EQ(read_file(folder.file("target")).value(), "old");
  EXPECT_EQ(read_file(folder.file("link")).value(), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.file("link")));
}

TEST(ReadFile, MissingFileAndFolderAreErrorsThatNameThem) {
  const TemporaryFolder folder;
  const auto missing = read_file(folder.file("missing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "cannot read " + folder.file("missing") + ": No such file or directory");
  EXPECT_EQ(missing.error().code, ErrorCode::kInput);
  EXPECT_FALSE(read_file(folder.path()).ok());
}

TEST(ReadFile, APipeIsReadButNotWaitedForWhereNobodyWrites) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto nobody = read_file(pipe);
  ASSERT_FALSE(nobody.ok());
  EXPECT_EQ(nobody.error().message, pipe + " is a named pipe that nobody writes to");
  // As a shell's <(...) does it: the writer is there before the reader, and writes later.
  const int keeper = open(pipe.c_str(), O_RDWR);
  std::thread writer([&] {
    usleep(20'000);
    EXPECT_EQ(write(keeper, "text", 4), 4);
    close(keeper);
  });
  const auto written = read_file(pipe);
  writer.join();
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written.value(), "text");
}

// Root may read everything, so that only the errno is tested here; tests/e2e tests it as another user.
TEST(ReadFile, MissingPermissionsAreToldWithTheCommandThatGivesThem) {
  const TemporaryFolder folder;
  const std::string file = folder.file("profile.json");
  ASSERT_TRUE(write_file_atomically(file, "x").ok());
  EXPECT_EQ(read_error(file, EACCES).message, "cannot read " + file + ": Permission denied");
  EXPECT_EQ(read_error(file, EACCES).hint, "chmod u+r " + file);
  EXPECT_EQ(read_error(folder.path(), EACCES).hint, "chmod u+rx " + folder.path());
  EXPECT_EQ(read_error(file, EIO).message, "cannot read " + file + ": Input/output error");
  EXPECT_EQ(read_error(file, EIO).hint, "");
}

TEST(CheckThere, OnlyWhatIsNotThereIsCalledAbsent) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a");
  ASSERT_TRUE(write_file_atomically(file, "x").ok());
  const Error absent{ErrorCode::kInput, "nothing there", "make it", ""};
  EXPECT_TRUE(check_there(file, absent).ok());
  EXPECT_TRUE(check_there(folder.path(), absent).ok());
  EXPECT_EQ(check_there(folder.file("b"), absent).error().message, "nothing there");
  EXPECT_EQ(check_there(file + "/b", absent).error().message, "nothing there");  // a file is no folder
  const std::string long_name = folder.file(std::string(5000, 'x'));
  EXPECT_EQ(check_there(long_name, absent).error().message, "cannot read " + long_name + ": File name too long");
}

}  // namespace
}  // namespace scalediag::core
