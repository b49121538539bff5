#include "collector/launch/batch/batch_system.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "collector/launch/batch/job_script.h"

namespace scalediag::launch {
namespace {

using Phase = JobState::Phase;
using Words = std::vector<std::string>;

const BatchSystem& called(const std::string& name) { return *batch_system_called(name); }

// The job of 8 processes, two a node.
JobScript script_of_eight() {
  return {"app.np0008",
          "/data/np0008.log",
          {{8, 4, 2}},
          {"/data/np0008.status"},
          {},
          "/home/with a space",
          {"/bin/scalediag", "profile", "-n", "4,8", "--", "./app"}};
}

// The lines behind the options are the same for all systems.
constexpr char kRest[] =
    "cd '/home/with a space' || exit\n"
    "export SCALEDIAG_JOB_PROCESSES=8; DONE=/data/np0008.status\n"
    "rm -f \"$DONE\"\n"
    "/bin/scalediag profile -n 4,8 -- ./app\n"
    "status=$?\n"
    "echo $status >\"$DONE.part\" && mv \"$DONE.part\" \"$DONE\"\n"
    "exit $status\n";

TEST(BatchSystem, TheScriptOfAJobOfSlurm) {
  EXPECT_EQ(text_of(script_of_eight(), called("slurm")),
            std::string("#!/bin/bash\n#SBATCH --job-name=app.np0008\n#SBATCH --output=/data/np0008.log\n"
                        "#SBATCH --open-mode=append\n#SBATCH --ntasks=8\n#SBATCH --nodes=4\n"
                        "#SBATCH --ntasks-per-node=2\n") +
                kRest);
}

TEST(BatchSystem, TheScriptsOfPbsLsfAndFlux) {
  EXPECT_EQ(text_of(script_of_eight(), called("pbs")),
            std::string("#!/bin/bash\n#PBS -N app.np0008\n#PBS -j oe\n#PBS -o /data/np0008.log\n#PBS -V\n"
                        "#PBS -l select=4:ncpus=2:mpiprocs=2\n") +
                kRest);
  EXPECT_EQ(text_of(script_of_eight(), called("lsf")),
            std::string("#!/bin/bash\n#BSUB -J app.np0008\n#BSUB -o /data/np0008.log\n#BSUB -n 8\n"
                        "#BSUB -R span[ptile=2]\n") +
                kRest);
  EXPECT_EQ(text_of(script_of_eight(), called("flux")),
            std::string("#!/bin/bash\n#flux: --job-name=app.np0008\n#flux: --output=/data/np0008.log\n#flux: -n 8\n"
                        "#flux: -N 4\n") +
                kRest);
}

// A folder or a program may have blanks, and in Slurm's --output a "%" that begins no pattern is written twice.
TEST(BatchSystem, NamesWithBlanksAreOneWordInTheScript) {
  JobScript script = script_of_eight();
  script.name = "my app.np0008";
  script.log = "/my data/50%/np0008.log";
  const auto has = [&script](const std::string& system, const std::string& lines) {
    return text_of(script, called(system)).find(lines) != std::string::npos;
  };
  EXPECT_TRUE(has("slurm", "#SBATCH --job-name='my app.np0008'\n#SBATCH --output='/my data/50%%/np0008.log'\n"));
  EXPECT_TRUE(has("pbs", "#PBS -N 'my app.np0008'\n#PBS -j oe\n#PBS -o '/my data/50%/np0008.log'\n"));
  EXPECT_TRUE(has("lsf", "#BSUB -J 'my app.np0008'\n#BSUB -o '/my data/50%/np0008.log'\n"));
  EXPECT_TRUE(has("flux", "#flux: --job-name='my app.np0008'\n#flux: --output='/my data/50%/np0008.log'\n"));
}

// As in `flux batch` inside a job of Slurm: the number and the system's name are of the same job.
TEST(BatchSystem, OfJobsInsideOneAnotherTheInnermostIsMeant) {
  for (const BatchSystem& system : batch_systems()) unsetenv(system.variable);
  EXPECT_EQ(current_batch_system(), nullptr);
  setenv("SLURM_JOB_ID", "12", 1);
  EXPECT_EQ(current_job(), "12");
  setenv("FLUX_JOB_ID", "f3", 1);
  EXPECT_EQ(current_batch_system(), &called("flux"));
  EXPECT_EQ(current_job(), "f3");
  unsetenv("FLUX_JOB_ID");
  unsetenv("SLURM_JOB_ID");
}

TEST(BatchSystem, AnArrayHasATaskForEachSizeAndTheResourcesOfTheLargest) {
  const JobScript script = {
      "app",   "/data/array.log",       {{2, 0, 0}, {8, 0, 0}}, {"/data/a", "/data/b"}, {"/data/a.log", "/data/b.log"},
      "/work", {"scalediag", "profile"}};
  EXPECT_EQ(text_of(script, called("slurm")),
            "#!/bin/bash\n#SBATCH --job-name=app\n#SBATCH --output=/data/array.log\n#SBATCH --open-mode=append\n"
            "#SBATCH --ntasks=8\n#SBATCH --array=0-1\n"
            "cd /work || exit\n"
            "case $SLURM_ARRAY_TASK_ID in\n"
            "0) export SCALEDIAG_JOB_PROCESSES=2; DONE=/data/a; exec >>/data/a.log 2>&1 ;;\n"
            "1) export SCALEDIAG_JOB_PROCESSES=8; DONE=/data/b; exec >>/data/b.log 2>&1 ;;\n"
            "esac\n"
            "rm -f \"$DONE\"\nscalediag profile\nstatus=$?\n"
            "echo $status >\"$DONE.part\" && mv \"$DONE.part\" \"$DONE\"\nexit $status\n");
}

TEST(BatchSystem, TheUsersOptionsStandBeforeTheScript) {
  EXPECT_EQ(submit_command(called("slurm"), {"-p", "all"}, "a.sh"),
            (Words{"sbatch", "--parsable", "-p", "all", "a.sh"}));
  EXPECT_EQ(submit_command(called("lsf"), {"-q", "x y"}, "a b.sh"), (Words{"sh", "-c", "bsub -q 'x y' <'a b.sh'"}));
}

TEST(BatchSystem, TheNumberOfAJobIsInWhatIsPrinted) {
  EXPECT_EQ(called("slurm").job_in("12\n"), "12");
  EXPECT_EQ(called("slurm").job_in("12;cluster\n"), "12");
  EXPECT_EQ(called("slurm").job_in("sbatch: error: invalid partition\n"), "");
  EXPECT_EQ(called("slurm").job_in("sbatch: the site says hello\n13\n"), "13");
  EXPECT_EQ(called("pbs").job_in("12.server\n"), "12.server");
  EXPECT_EQ(called("lsf").job_in("Job <12> is submitted to default queue <normal>.\n"), "12");
  EXPECT_EQ(called("lsf").job_in("normal: No such queue. Job not submitted.\n"), "");
}

TEST(BatchSystem, SlurmsStatesWithTheirReasons) {
  const auto state = called("slurm").state_in;
  EXPECT_EQ(state("JobId=1 JobName=a JobState=PENDING Reason=Resources Dependency=(null)\n"),
            (JobState{Phase::kQueued, "PENDING (Resources)"}));
  EXPECT_EQ(state("JobId=1 JobState=RUNNING Reason=None\n"), (JobState{Phase::kRunning, "RUNNING"}));
  EXPECT_EQ(state("JobId=1 JobState=COMPLETED Reason=None\n"), (JobState{Phase::kEnded, "COMPLETED"}));
  EXPECT_EQ(state("JobId=1 JobState=TIMEOUT Reason=TimeLimit\n"), (JobState{Phase::kFailed, "TIMEOUT (TimeLimit)"}));
  EXPECT_EQ(state("JobId=1 JobState=NODE_FAIL Reason=NodeDown\n"), (JobState{Phase::kFailed, "NODE_FAIL (NodeDown)"}));
  // The output of sacct.
  EXPECT_EQ(state("CANCELLED by 1000|None\n"), (JobState{Phase::kFailed, "CANCELLED by 1000"}));
  EXPECT_EQ(state("COMPLETED|\n"), (JobState{Phase::kEnded, "COMPLETED"}));
  EXPECT_EQ(state("").phase, Phase::kUnknown);
}

TEST(BatchSystem, StatesOfTheOthers) {
  EXPECT_EQ(called("pbs").state_in("Job Id: 12\n    job_state = Q\n    comment = Not Running: no nodes\n"),
            (JobState{Phase::kQueued, "Q (Not Running: no nodes)"}));
  EXPECT_EQ(called("pbs").state_in("    job_state = F\n    Exit_status = 0\n"), (JobState{Phase::kEnded, "F"}));
  EXPECT_EQ(called("pbs").state_in("    job_state = F\n    Exit_status = 271\n"),
            (JobState{Phase::kFailed, "F (exit status 271)"}));
  EXPECT_EQ(called("lsf").state_in("PEND New job is waiting for scheduling\n"),
            (JobState{Phase::kQueued, "PEND (New job is waiting for scheduling)"}));
  EXPECT_EQ(called("lsf").state_in("DONE -\n"), (JobState{Phase::kEnded, "DONE"}));
  EXPECT_EQ(called("lsf").state_in("Job <12> is not found\n").phase, Phase::kUnknown);
  EXPECT_EQ(called("flux").state_in("SCHED \n"), (JobState{Phase::kQueued, "SCHED"}));
  EXPECT_EQ(called("flux").state_in("INACTIVE TIMEOUT\n"), (JobState{Phase::kFailed, "INACTIVE (TIMEOUT)"}));
  EXPECT_EQ(called("flux").state_in("INACTIVE COMPLETED\n").phase, Phase::kEnded);
}

}  // namespace
}  // namespace scalediag::launch
