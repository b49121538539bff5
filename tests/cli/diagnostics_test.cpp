#include "cli/diagnostics.h"

#include <gtest/gtest.h>

namespace scalediag::cli {
namespace {

TEST(Diagnostics, WarningsWithOneHintPrintItOnce) {
  testing::internal::CaptureStderr();
  warn("messages are left out", "record 32 ranks, too");
  warn("messages are unmatched", "record 32 ranks, too");
  warn("something else", "leave it out");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: messages are left out\nhint: record 32 ranks, too\nwarning: messages are unmatched\n"
            "warning: something else\nhint: leave it out\n");
}

}  // namespace
}  // namespace scalediag::cli
