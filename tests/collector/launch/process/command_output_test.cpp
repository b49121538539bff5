#include "collector/launch/process/command_output.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

TEST(CommandOutput, KeepsBothStreamsAndTheStatus) {
  const auto output = run_and_capture({"sh", "-c", "echo a; echo b >&2; cat; exit 3"});
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output.value().text, "a\nb\n");
  EXPECT_EQ(output.value().exit_status, 3);
  EXPECT_EQ(run_and_capture({"sh", "-c", "kill -9 $$"}).value().exit_status, 137);
  EXPECT_FALSE(run_and_capture({"/nowhere/command"}).ok());
}

}  // namespace
}  // namespace scalediag::launch
