#include "collector/launch/program/launcher_trial.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

TEST(LauncherTrial, TwoRanksOfOneWorldAreWhatIsWanted) {
  EXPECT_EQ(world_fault("scalediag-world 1 2 node1\nscalediag-world 0 2 node2\n", 0), "");
  // srun -l puts the rank in front of each line.
  EXPECT_EQ(world_fault("1: scalediag-world 1 2 node1\n0: scalediag-world 0 2 node1\n", 0), "");
}

TEST(LauncherTrial, RanksThatAreAloneAreNot) {
  const std::string alone = "scalediag-world 0 1 node1\nscalediag-world 0 1 node1\n";
  EXPECT_EQ(world_fault(alone, 0), "each rank was alone in an MPI_COMM_WORLD of its own");
}

TEST(LauncherTrial, AWorldThatEndsBadlyIsNot) {
  EXPECT_EQ(world_fault("scalediag-world 1 2 node1\nscalediag-world 0 2 node1\n", 3),
            "exit status 3: scalediag-world 1 2 node1");
  EXPECT_EQ(world_fault("scalediag-world 1 2 node1\nsrun: error: lost\n", 1),
            "exit status 1: scalediag-world 1 2 node1");
}

TEST(LauncherTrial, TheReasonIsWhatLauncherAndLibrarySay) {
  // As Debian's Open MPI 4.1.4 prints it under srun.
  EXPECT_EQ(
      world_fault("[node1:12] OPAL ERROR: Unreachable in file ext3x_client.c at line 112\n-----\nbut OMPI was not "
                  "built with SLURM's PMI support and therefore cannot\nexecute.",
                  1),
      "Open MPI was built without support for this kind of PMI");
  EXPECT_EQ(world_fault("-----\nsrun: Warning: can't run 2 processes on 4 nodes\nsomething broke\n", 1),
            "exit status 1: something broke");
  EXPECT_EQ(world_fault("", 0), "the ranks ended without MPI_Init");
}

TEST(LauncherTrial, TheKindsOfPmiAreThoseOfSrunsList) {
  // Of Slurm 22.05, and in the form of older versions.
  const std::string listed =
      "MPI plugin types are...\n\tpmi2\n\tnone\n\tcray_shasta\n\tpmix\nspecific pmix plugin versions available: "
      "pmix_v4\n";
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(parse_pmi_kinds(listed, MpiFlavour::kOpenMpi), (Kinds{"pmix", "pmi2", "cray_shasta"}));
  EXPECT_EQ(parse_pmi_kinds(listed, MpiFlavour::kMpich), (Kinds{"pmi2", "cray_shasta", "pmix"}));
  EXPECT_EQ(parse_pmi_kinds("srun: MPI types are...\nsrun: none\nsrun: pmix\nsrun: pmix_v3\n", MpiFlavour::kOpenMpi),
            (Kinds{"pmix"}));
  EXPECT_EQ(parse_pmi_kinds("", MpiFlavour::kOpenMpi), Kinds{});
}

TEST(LauncherTrial, TheChoiceIsToldWithTheReason) {
  const std::vector<core::LauncherTrial> tried = {
      {"/usr/bin/srun -N {nodes} -n {np} {command}", "exit status 1"},
      {"/usr/bin/srun --mpi=pmi2 -N {nodes} -n {np} {command}", "each rank was alone"},
      {"/usr/bin/mpirun.openmpi --oversubscribe -n {np} {command}", ""}};
  EXPECT_EQ(trials_text(tried),
            "mpirun.openmpi starts the ranks, since srun does not: exit status 1; nor does srun --mpi=pmi2");
  EXPECT_EQ(trials_text({{"srun -n {np} {command}", ""}}), "");
}

}  // namespace
}  // namespace scalediag::launch
