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

// The first task is the cause; srun ends the others with the step.
TEST(RankSignal, OfSrun) {
  const auto found = find_rank_signal(
      "srun: error: c1: task 3: Segmentation fault (core dumped)\n"
      "srun: Terminating StepId=7.0\n"
      "slurmstepd: error: *** STEP 7.0 ON c1 CANCELLED ***\n"
      "srun: error: c1: tasks 0-2: Killed\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->signal, 11);
  EXPECT_EQ(found->rank, 3);
  EXPECT_FALSE(found->out_of_memory);
}

TEST(RankSignal, OfSrunWithoutMemory) {
  const auto found = find_rank_signal(
      "slurmstepd: error: Detected 1 oom_kill event in StepId=9.0. Some of the step tasks have been OOM Killed.\n"
      "srun: error: c1: task 1: Out Of Memory\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->out_of_memory);
  EXPECT_EQ(found->rank, 1);
}

TEST(RankSignal, NotOfOtherOutput) {
  for (const char* text :
       {"", "exited on signal ", "x exited on signal y",
        "TERMINATED WITH THE EXIT STRING: ", "TERMINATED WITH THE EXIT STRING: Killed (signal x)", "killed (signal 9)",
        "srun: error: ", "srun: error: c1: task 0: Exited with exit code 7\n", "srun: error: c1: task x: Killed\n"}) {
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
