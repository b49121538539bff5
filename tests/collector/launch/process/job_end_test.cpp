#include "collector/launch/process/job_end.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

TEST(JobEnd, SlurmsReasonsAreNamed) {
  EXPECT_EQ(find_job_end("slurmstepd: error: *** STEP 3.0 ON node1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT "
                         "***\nsrun: error: node1: task 0: Terminated\n"),
            "Slurm ended it at the time limit of the job");
  EXPECT_EQ(find_job_end("srun: error: Node failure on node2\n"), "a node failed, and Slurm ended it");
  EXPECT_EQ(
      find_job_end("slurmstepd: error: *** JOB 3 ON node1 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***"),
      "Slurm gave its nodes to another job (preemption)");
}

TEST(JobEnd, AFailedRankIsNotTheResourceManagersDoing) {
  // srun ends the other ranks with the same words, and without a reason.
  EXPECT_EQ(find_job_end("srun: error: node1: task 1: Exited with exit code 7\n"
                         "slurmstepd: error: *** STEP 3.0 ON node1 CANCELLED AT 2026-01-01T00:00:00 ***\n"),
            "");
  EXPECT_EQ(find_job_end(""), "");
}

TEST(JobEnd, LaunchersThatLoseANode) {
  EXPECT_EQ(find_job_end("ORTE has lost communication with a remote daemon.\n"),
            "the launcher lost its daemon on a node, which failed or whose job ended");
}

}  // namespace
}  // namespace scalediag::launch
