#include "collector/launch/process/rank_failure.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

TEST(RankSignal, OfOpenMpi) {
  const auto found = find_rank_signal(
      "rank 0: exited on signal by name only\n"
      "----\nmpirun noticed that process rank 12 with PID 0 on node vm exited on signal 11 (Segmentation "
      "fault).\n----\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->signal, 11);
  EXPECT_EQ(found->rank, 12);
}

TEST(RankSignal, OfMpich) {
  const auto found = find_rank_signal("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\nThis\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->signal, 9);
  EXPECT_EQ(found->rank, -1);
}

TEST(RankSignal, NotOfOtherOutput) {
  for (const char* text : {"", "exited on signal ", "x exited on signal y", "TERMINATED WITH THE EXIT STRING: ",
                           "TERMINATED WITH THE EXIT STRING: Killed (signal x)", "killed (signal 9)"}) {
    EXPECT_FALSE(find_rank_signal(text).has_value()) << text;
  }
}

TEST(RankSignal, IsFoundAtTheEndOfALongLog) {
  const core::TemporaryFolder folder;
  std::ofstream(folder.file("out")) << std::string(1 << 20, 'x') << "TERMINATED WITH THE EXIT STRING: K (signal 9)\n";
  const auto found = find_rank_signal_in_logs(folder.file("out"), folder.file("missing"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->signal, 9);
}

}  // namespace
}  // namespace scalediag::launch
