#include "collector/launch/batch/submission.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

// A PATH with a sbatch that gives the job 7, and a scontrol that prints what the test wants.
class SubmissionTest : public ::testing::Test {
 protected:
  SubmissionTest() : path_before_(std::getenv("PATH")) {
    std::filesystem::create_directories(folder_.file("bin"));
    program("sbatch", "echo 7");
    says("JobState=PENDING Reason=Resources");
    setenv("PATH", (folder_.file("bin") + ":" + path_before_).c_str(), 1);
  }
  ~SubmissionTest() override { setenv("PATH", path_before_.c_str(), 1); }

  void program(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file("bin/" + name)) << "#!/bin/sh\n" << text << "\n";
    chmod(folder_.file("bin/" + name).c_str(), 0755);
  }
  void says(const std::string& text) { program("scontrol", "echo '" + text + "'"); }

  Submission load() { return Submission::load(folder_.file("e"), *batch_system_called("slurm")).value(); }
  Submission submitted() {
    Submission submission = load();
    submission.add({{4, 0, 0}});
    const auto scripts = submission.scripts({&submission.jobs()[0]}, false, "app", "/", {"true"});
    EXPECT_TRUE(submission.submit(scripts[0], {}).ok());
    return submission;
  }

  core::TemporaryFolder folder_;
  std::string path_before_;
};

TEST_F(SubmissionTest, JobsAreKeptWithTheirNumbers) {
  submitted();
  Submission again = load();
  ASSERT_EQ(again.jobs().size(), 1u);
  EXPECT_EQ(again.jobs()[0].job, "7");
  again.look();
  EXPECT_EQ(again.jobs()[0].state, (JobState{JobState::Phase::kQueued, "PENDING (Resources)"}));
}

TEST_F(SubmissionTest, AJobThatWroteItsStatusHasEnded) {
  Submission submission = submitted();
  std::ofstream(submission.status_file_of(4)) << "0\n";
  submission.look();
  EXPECT_EQ(submission.jobs()[0].state.phase, JobState::Phase::kEnded);
}

TEST_F(SubmissionTest, AJobThatFailedSaysWhy) {
  Submission submission = submitted();
  std::ofstream(submission.status_file_of(4)) << "3\n";
  std::ofstream(submission.log_of(4)) << "note: a\nerror: no launcher\nhint: one\n";
  says("JobState=FAILED Reason=NonZeroExitCode");
  submission.look();
  EXPECT_EQ(submission.jobs()[0].fault, "exit status 3: no launcher");
  // The run that failed says more than the error at the end.
  std::ofstream(submission.log_of(4)) << "note: a\nfailed: np0004.r0: status 7\nerror: nothing was run after it\n";
  submission.look();
  EXPECT_EQ(submission.jobs()[0].fault, "exit status 3: np0004.r0: status 7");
  // It may write a status when it is ended at its time limit.
  says("JobState=TIMEOUT Reason=TimeLimit");
  submission.look();
  EXPECT_EQ(submission.jobs()[0].fault, "Slurm says TIMEOUT (TimeLimit)");
}

// A command that fails for a reason of its own says nothing about the job, which may run.
TEST_F(SubmissionTest, NoAnswerIsNoFailure) {
  Submission submission = submitted();
  program("scontrol", "echo 'slurm_load_jobs error: Unable to contact slurm controller'; exit 1");
  submission.look();
  EXPECT_EQ(submission.jobs()[0].state.phase, JobState::Phase::kUnknown);
  EXPECT_EQ(submission.jobs()[0].fault, "");
}

TEST_F(SubmissionTest, JobsOfAnotherMeasurementAreNotTaken) {
  Submission submission = load();
  ASSERT_TRUE(submission.set_measured("./app a in /").ok());
  submission.add({{4, 0, 0}});
  ASSERT_TRUE(submission.save().ok());
  EXPECT_TRUE(load().set_measured("./app a in /").ok());
  const auto other = load().set_measured("./app b in /");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message,
            folder_.file("e") + "/jobs has jobs of another measurement: ./app a in /, and not ./app b in /");
}

TEST_F(SubmissionTest, AJobThatVanishedHasFailed) {
  Submission submission = submitted();
  program("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified'; exit 1");
  program("sacct", "exit 1");
  submission.look(0);
  EXPECT_EQ(submission.jobs()[0].state.phase, JobState::Phase::kFailed);
  EXPECT_EQ(submission.jobs()[0].fault, "Slurm does not know it any more, and it left no exit status");
}

// As on NFS: the batch system says first that a job ended, then its status is seen.
TEST_F(SubmissionTest, AStatusThatIsSeenLateIsWaitedFor) {
  Submission submission = submitted();
  const std::string late = "(sleep 0.3; echo 0 >" + submission.status_file_of(4) + ") >/dev/null 2>&1 &\n";
  program("scontrol", late + "echo 'JobState=COMPLETED Reason=None'");
  submission.look();
  EXPECT_EQ(submission.jobs()[0].state.phase, JobState::Phase::kEnded);
  EXPECT_EQ(submission.jobs()[0].fault, "");
}

TEST_F(SubmissionTest, ARefusedJobIsAnErrorInTheBatchSystemsWords) {
  program("sbatch", "echo 'sbatch: error: invalid partition specified: x'; exit 1");
  Submission submission = load();
  submission.add({{4, 0, 0}});
  const auto scripts = submission.scripts({&submission.jobs()[0]}, false, "app", "/", {"true"});
  const auto refused = submission.submit(scripts[0], {"-p", "x"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "Slurm does not take the job: sbatch: error: invalid partition specified: x");
}

TEST_F(SubmissionTest, ADamagedFileIsNamed) {
  std::filesystem::create_directories(folder_.file("e/jobs"));
  std::ofstream(folder_.file("e/jobs/jobs.json"))
      << R"({"schema": "scalediag-jobs/1", "batch_system": "slurm", "measures": "", "jobs": [{"np": 0}]})";
  const auto read = Submission::load(folder_.file("e"), *batch_system_called("slurm"));
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("jobs.json is damaged"), std::string::npos) << read.error().message;
  std::ofstream(folder_.file("e/jobs/jobs.json"))
      << R"({"schema": "scalediag-jobs/1", "batch_system": "pbs", "measures": "", "jobs": []})";
  EXPECT_EQ(Submission::load(folder_.file("e"), *batch_system_called("slurm")).error().message,
            folder_.file("e") + "/jobs/jobs.json has jobs of pbs, not of slurm");
}

}  // namespace
}  // namespace scalediag::launch
