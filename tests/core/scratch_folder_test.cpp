#include "core/scratch_folder.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/atomic_file.h"
#include "core/leftovers.h"

namespace scalediag::core {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, IsGoneWithEverythingInIt) {
  std::string path;
  {
    const ScratchFolder folder("test");
    path = folder.path();
    ASSERT_TRUE(fs::is_directory(path));
    std::ofstream(folder.file("log")) << "text";
    // As an overlay leaves it.
    fs::create_directories(folder.file("work/work/deeper"));
    fs::permissions(folder.file("work/work"), fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
}

// A link is removed, what it leads to is not, and keeps its permissions.
TEST(ScratchFolder, LinksAreNotFollowed) {
  const ScratchFolder other("test");
  fs::create_directory(other.file("kept"));
  fs::permissions(other.file("kept"), fs::perms::owner_read);
  {
    const ScratchFolder folder("test");
    fs::create_directory_symlink(other.file("kept"), folder.file("link"));
  }
  EXPECT_EQ(fs::status(other.file("kept")).permissions(), fs::perms::owner_read);
}

// A killed process leaves its folder and a temporary file, whose locks are gone with it. Folders without an owner file,
// and files of other names, are not ours.
TEST(ScratchFolder, WhatAKilledProcessLeftIsRemovedByTheNext) {
  const ScratchFolder parent("test");
  std::string left;
  int path_pipe[2];
  ASSERT_EQ(pipe(path_pipe), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFolder folder("killed", parent.path());
    std::ofstream(folder.file("log")) << "text";
    const auto file = AtomicFile::create(parent.file("result"));
    [[maybe_unused]] const ssize_t n = write(path_pipe[1], folder.path().c_str(), folder.path().size());
    for (;;) pause();
  }
  char path[512] = "";
  ASSERT_GT(read(path_pipe[0], path, sizeof path - 1), 0);
  const std::string temporary = parent.file(kTemporaryFiles + std::to_string(child) + ".0");
  ASSERT_TRUE(fs::exists(temporary));
  fs::create_directory(parent.file("scalediag-results-abcdef"));
  std::ofstream(parent.file(".scalediag.notes")) << "text";
  const auto entries = [&] { return std::distance(fs::directory_iterator(parent.path()), fs::directory_iterator()); };
  remove_leftovers(fs::path(parent.path()) / ".");  // it still runs
  EXPECT_TRUE(fs::exists(path));
  EXPECT_TRUE(fs::exists(temporary));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  remove_leftovers(parent.path());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(temporary));
  EXPECT_EQ(entries(), 3);  // with the parent's own owner file
}

TEST(ScratchFolder, WhereNoneCanBeMadeItsPathIsEmpty) {
  EXPECT_EQ(ScratchFolder("test", "/nowhere/at/all").path(), "");
  EXPECT_EQ(ScratchFolder("test", "").path(), "");
  EXPECT_EQ(ScratchFolder().path(), "");
}

}  // namespace
}  // namespace scalediag::core
