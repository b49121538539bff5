#include "collector/launch/host/installation.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

TEST(Installation, IsLookedForWhereTheVariableSays) {
  const core::TemporaryFolder folder;
  setenv("SCALEDIAG_LIBRARY_DIR", folder.path().c_str(), 1);
  const auto missing = find_installation();
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find(folder.path()), std::string::npos);
  std::ofstream(folder.file("libscalediag.so")) << "";
  EXPECT_FALSE(find_installation().ok());  // both are needed
  std::ofstream(folder.file("scalediag-rank")) << "";
  EXPECT_FALSE(find_installation().ok());  // and the shim has to be executable
  chmod(folder.file("scalediag-rank").c_str(), 0755);
  const auto found = find_installation();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().shim, folder.file("scalediag-rank"));
  unsetenv("SCALEDIAG_LIBRARY_DIR");
}

}  // namespace
}  // namespace scalediag::launch
