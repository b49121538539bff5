#include "core/scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST(ScratchFolder, WhereNoneCanBeMadeItsPathIsEmpty) {
  EXPECT_EQ(ScratchFolder("test", "/nowhere/at/all").path(), "");
  EXPECT_EQ(ScratchFolder("test", "").path(), "");
  EXPECT_EQ(ScratchFolder().path(), "");
}

}  // namespace
}  // namespace scalediag::core
