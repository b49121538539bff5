#include "collector/launch/program/launcher.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

using Words = std::vector<std::string>;

// A PATH with launchers that only print their name and version.
class LauncherTest : public ::testing::Test {
 protected:
  LauncherTest() : path_before_(std::getenv("PATH")) {
    std::filesystem::create_directories(folder_.file("bin"));
    // The fakes need a shell, but the machine's own launchers must not be found.
    setenv("PATH", folder_.file("bin").c_str(), 1);
  }
  ~LauncherTest() override { setenv("PATH", path_before_.c_str(), 1); }

  std::string fake(const std::string& name, const std::string& says) {
    std::ofstream(folder_.file(name)) << "#!/bin/sh\necho '" << says << "'\n";
    chmod(folder_.file(name).c_str(), 0755);
    return folder_.file(name);
  }

  static Launcher first(const MpiUse& mpi, const LaunchSurroundings& surroundings) {
    return launcher_candidates(mpi, surroundings).at(0);
  }

  core::TemporaryFolder folder_;
  std::string path_before_;
  const MpiUse open_mpi_{MpiFlavour::kOpenMpi, ""};
  const MpiUse mpich_{MpiFlavour::kMpich, ""};
};

TEST_F(LauncherTest, OpenMpiStartsRanksTheSameWayWhetherTheyHaveACoreEachOrNot) {
  const std::string mpirun = fake("bin/mpirun.openmpi", "mpirun.openmpi (OpenRTE) 4.1.4");
  const auto launcher = first(open_mpi_, {false, 2, ""});
  // It is started by its name, since it was found in PATH: started by its path it would change the PATH of the ranks.
  EXPECT_EQ(launcher.words[0], mpirun);
  for (const int np : {2, 3}) {
    EXPECT_EQ(launch_command(launcher, np, 2, {"app", "x"}),
              (Words{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", std::to_string(np), "app", "x"}));
  }
}

TEST_F(LauncherTest, OpenMpiAsRoot) {
  fake("bin/mpirun.openmpi", "mpirun.openmpi (OpenRTE) 4.1.4");
  const auto launcher = first(open_mpi_, {true, 2, ""});
  EXPECT_EQ(launch_command(launcher, 3, 2, {"app"}),
            (Words{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3", "app"}));
}

TEST_F(LauncherTest, APlainMpirunIsTakenOnlyIfItIsOfTheRightMpi) {
  const std::string mpirun = fake("bin/mpirun", "mpirun (Open MPI) 5.0.1");
  EXPECT_EQ(first(open_mpi_, {}).words[0], mpirun);
  EXPECT_TRUE(launcher_candidates(mpich_, {}).empty());
  EXPECT_NE(no_launcher_found(mpich_).hint.find("mpich"), std::string::npos);
}

TEST_F(LauncherTest, MpichIsFoundByAnyOfItsNames) {
  const std::string hydra = fake("bin/mpiexec.hydra", "HYDRA build details:");
  EXPECT_EQ(first(mpich_, {true, 1, ""}).words, (Words{hydra, "-n", "{np}", "{command}"}));
}

TEST_F(LauncherTest, TheOneBesideTheLibraryComesFirst) {
  fake("bin/mpirun", "mpirun (Open MPI) 5.0.1");
  std::filesystem::create_directories(folder_.file("opt/lib"));
  std::filesystem::create_directories(folder_.file("opt/bin"));
  std::ofstream(folder_.file("opt/lib/libmpi.so.40")) << "";
  const std::string own = fake("opt/bin/mpirun", "mpirun (Open MPI) 4.0.0");
  const auto launcher = first({MpiFlavour::kOpenMpi, folder_.file("opt/lib/libmpi.so.40")}, {});
  EXPECT_EQ(launcher.words[0], own);
  // Its name would find the other one.
  EXPECT_EQ(launch_command(launcher, 1, 1, {"app"})[0], own);
}

TEST_F(LauncherTest, InsideASlurmAllocationItIsSrun) {
  fake("bin/mpirun", "mpirun (Open MPI) 5.0.1");
  EXPECT_EQ(first(open_mpi_, {false, 8, "slurm"}).words[0], folder_.file("bin/mpirun"));  // no srun yet
  const std::string srun = fake("bin/srun", "slurm");
  const auto launcher = first(open_mpi_, {false, 8, "slurm"});
  EXPECT_EQ(launch_command(launcher, 4, 8, {"app"}), (Words{srun, "-n", "4", "app"}));
  EXPECT_EQ(launch_command(launcher, 16, 8, {"app"}), (Words{srun, "--overcommit", "-n", "16", "app"}));
}

TEST_F(LauncherTest, InsideSlurmTheMpisOwnAndEachKindOfPmiFollow) {
  const std::string mpirun = fake("bin/mpirun", "mpirun (Open MPI) 5.0.1");
  const std::string srun = fake("bin/srun", "pmi2");
  LaunchSurroundings slurm{false, 8, "slurm"};
  slurm.placement = {4, 2};
  const auto candidates = launcher_candidates(open_mpi_, slurm);
  ASSERT_EQ(candidates.size(), 3u);
  // 6 ranks fill three nodes of two; mpirun fills nodes by itself.
  EXPECT_EQ(launch_command(candidates[0], 6, 8, {"app"}), (Words{srun, "-N", "3", "-n", "6", "app"}));
  EXPECT_EQ(launch_command(candidates[2], 6, 8, {"app"}), (Words{srun, "--mpi=pmi2", "-N", "3", "-n", "6", "app"}));
  EXPECT_EQ(launch_command(candidates[1], 6, 8, {"app"}),
            (Words{"mpirun", "--oversubscribe", "--bind-to", "none", "-n", "6", "app"}));
  setenv("SLURM_MPI_TYPE", "pmix", 1);
  EXPECT_EQ(launcher_candidates(open_mpi_, slurm).size(), 2u);  // srun takes it from there
  unsetenv("SLURM_MPI_TYPE");
  // The nodes that were asked for are passed to mpirun as well; binding is left to the site.
  slurm.placement.nodes_of = {{6, 2}};
  slurm.placement.is_asked = slurm.binds_ranks = true;
  EXPECT_EQ(launch_command(launcher_candidates(open_mpi_, slurm)[1], 6, 8, {"app"}),
            (Words{"mpirun", "--oversubscribe", "--map-by", "ppr:3:node", "-n", "6", "app"}));
}

TEST_F(LauncherTest, InsideOtherAllocationsItIsTheManagersOrIsToldTheHosts) {
  fake("bin/mpirun", "mpirun (Open MPI) 5.0.1");
  const std::string flux = fake("bin/flux", "flux");
  EXPECT_EQ(launch_command(first(open_mpi_, {false, 8, "flux"}), 16, 8, {"app"}),
            (Words{flux, "run", "-n", "16", "app"}));
  const LaunchSurroundings pbs{false, 8, "pbs", "/spool/hosts"}, lsf{false, 8, "lsf", "/spool/hosts"};
  const Words told{"mpirun", "--oversubscribe", "--bind-to", "none", "--hostfile", "/spool/hosts", "-n", "4", "app"};
  EXPECT_EQ(launch_command(first(open_mpi_, pbs), 4, 8, {"app"}), told);
  EXPECT_EQ(launch_command(first(open_mpi_, lsf), 4, 8, {"app"}), told);
  const std::string jsrun = fake("bin/jsrun", "jsrun");
  EXPECT_EQ(launch_command(first(open_mpi_, lsf), 4, 8, {"app"}),
            (Words{jsrun, "-n", "4", "-a", "1", "-c", "1", "app"}));
}

TEST_F(LauncherTest, InstalledFlavours) {
  EXPECT_TRUE(installed_flavours().empty());
  fake("bin/mpirun", "HYDRA build details:");
  EXPECT_EQ(installed_flavours(), std::vector{MpiFlavour::kMpich});
}

TEST_F(LauncherTest, ATemplateIsTakenAsWritten) {
  fake("bin/run", "");
  const auto launcher = parse_launcher("run -n {np} --tag '{np} ranks' {command} --last");
  ASSERT_TRUE(launcher.ok());
  EXPECT_EQ(launch_command(launcher.value(), 4, 1, {"app", "a b"}),
            (Words{"run", "-n", "4", "--tag", "4 ranks", "app", "a b", "--last"}));
}

TEST_F(LauncherTest, ATemplateWithoutCommandGetsItAtItsEnd) {
  fake("bin/run", "");
  EXPECT_EQ(launch_command(parse_launcher("run {np}").value(), 4, 1, {"app"}), (Words{"run", "4", "app"}));
}

TEST_F(LauncherTest, InsideAWordTheCommandIsQuotedForAShell) {
  fake("bin/sh", "");
  EXPECT_EQ(launch_command(parse_launcher("sh -c 'run {np} {command}'").value(), 2, 1, {"app", "a b", "{np}"}),
            (Words{"sh", "-c", "run 2 app 'a b' {np}"}));
}

TEST_F(LauncherTest, TheMpiOfLaunchersInATemplateIsFound) {
  const std::string open_mpi = fake("bin/mpirun", "mpirun (Open MPI) 5.0.1");
  const std::string hydra = fake("bin/mpiexec.hydra", "HYDRA build details:");
  const std::string own = fake("mpirun-of-mine", "mpirun (Open MPI) 4.0.0");
  fake("bin/mpirun.other", "another MPI");
  fake("bin/sh", "mpirun (Open MPI) 4.0.0");  // is not asked
  const auto named = [](const std::string& text) {
    Words found;
    const auto launcher = parse_launcher(text);
    EXPECT_TRUE(launcher.ok()) << text;
    for (const NamedLauncher& l : launchers_named_in(launcher.value())) {
      found.push_back(std::string(name_of(l.flavour)) + " " + l.path);
    }
    return found;
  };
  EXPECT_EQ(named("mpirun -n {np}"), Words{"openmpi " + open_mpi});
  EXPECT_EQ(named(own + " -n {np} {command}"), Words{"openmpi " + own});
  EXPECT_EQ(named("sh -c 'ulimit -c 0; mpiexec.hydra -n {np} {command}'"), Words{"mpich " + hydra});
  EXPECT_EQ(named("mpirun.other -n {np} {command}"), Words{});
  // The words after the command are not the launcher's.
  EXPECT_EQ(named("sh -n {np} {command} mpirun"), Words{});
}

TEST_F(LauncherTest, ItsVersionIsThatOfAnMpi) {
  const auto version = [this](const std::string& says) {
    Launcher launcher;
    launcher.words = {fake("bin/mpirun", says)};
    return version_text(launcher);
  };
  EXPECT_EQ(version("mpirun (Open MPI) 5.0.1"), "mpirun (Open MPI) 5.0.1\n");
  EXPECT_EQ(version("slurm 23.02.1"), "");
}

TEST_F(LauncherTest, ATemplateThatCannotWorkIsRefused) {
  fake("bin/run", "");
  EXPECT_EQ(parse_launcher("").error().code, core::ErrorCode::kUsage);
  EXPECT_EQ(parse_launcher("run {command}").error().code, core::ErrorCode::kUsage);
  EXPECT_EQ(parse_launcher("run '{np}").error().code, core::ErrorCode::kUsage);
  EXPECT_EQ(parse_launcher("absent {np}").error().code, core::ErrorCode::kEnvironment);
  const std::string run = fake("bin/run", "");
  const std::string folder = std::filesystem::path(run).parent_path().string();
  EXPECT_EQ(parse_launcher(folder + " -n {np}").error().message, "the launcher " + folder + " is a folder");
  std::filesystem::permissions(run, std::filesystem::perms::owner_read);
  EXPECT_EQ(parse_launcher(run + " -n {np}").error().message, "the launcher " + run + " is not executable");
}

}  // namespace
}  // namespace scalediag::launch
