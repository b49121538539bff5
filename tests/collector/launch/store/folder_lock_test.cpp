#include "collector/launch/store/folder_lock.h"

#include <gtest/gtest.h>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

TEST(FolderLock, IsReleasedWithItsObject) {
  const core::TemporaryFolder folder;
  {
    const auto lock = FolderLock::acquire(folder.path());
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(FolderLock::acquire(folder.path()).error().code, core::ErrorCode::kInput);
  }
  EXPECT_TRUE(FolderLock::acquire(folder.path()).ok());
  EXPECT_EQ(FolderLock::acquire(folder.file("none")).error().code, core::ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace scalediag::launch
