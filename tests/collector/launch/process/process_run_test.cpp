#include "collector/launch/process/process_run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "collector/launch/process/process_tree.h"
#include "collector/launch/process/run_guard.h"
#include "core/atomic_file.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

using End = ProcessOutcome::End;

class ProcessRunTest : public ::testing::Test {
 protected:
  ProcessRequest shell(const std::string& script) {
    ProcessRequest request;
    request.command = {"sh", "-c", script};
    request.stdout_log = folder_.file("stdout.log");
    request.stderr_log = folder_.file("stderr.log");
    request.grace_s = 0.2;
    return request;
  }
  ProcessOutcome run(const ProcessRequest& request) {
    const InterruptionGuard guard;
    auto outcome = run_process(request, guard);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? outcome.value() : ProcessOutcome{};
  }
  std::string log(const std::string& name) { return core::read_file(folder_.file(name)).value(); }

  core::TemporaryFolder folder_;
};

TEST_F(ProcessRunTest, KeepsBothStreamsAndPassesThemOn) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const ProcessOutcome outcome = run(shell("echo out; echo err >&2"));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "out\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "err\n");
  EXPECT_EQ(log("stdout.log"), "out\n");
  EXPECT_EQ(log("stderr.log"), "err\n");
  EXPECT_TRUE(outcome.ok());
}

TEST_F(ProcessRunTest, KeepsMuchOutputWhole) {
  ::testing::internal::CaptureStdout();
  run(shell("head -c 1000000 /dev/zero | tr '\\0' x"));
  EXPECT_EQ(::testing::internal::GetCapturedStdout().size(), 1000000u);
  EXPECT_EQ(log("stdout.log").size(), 1000000u);
}

TEST_F(ProcessRunTest, TellsStatusesFromSignals) {
  const ProcessOutcome status = run(shell("exit 7"));
  EXPECT_EQ(status.end, End::kExited);
  EXPECT_EQ(status.exit_status, 7);
  const ProcessOutcome killed = run(shell("kill -SEGV $$"));
  EXPECT_EQ(killed.end, End::kSignalled);
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(killed.exit_status, 128 + SIGSEGV);
}

TEST_F(ProcessRunTest, ReadsTheFileThatItIsGivenElseNothing) {
  run(shell("wc -c"));
  EXPECT_EQ(std::stoi(log("stdout.log")), 0);
  std::ofstream(folder_.file("input")) << "12345";
  std::FILE* input = std::fopen(folder_.file("input").c_str(), "r");
  ProcessRequest request = shell("wc -c");
  request.stdin_fd = fileno(input);
  run(request);
  std::fclose(input);
  EXPECT_EQ(std::stoi(log("stdout.log")), 5);
}

TEST_F(ProcessRunTest, AProgramIsStartedUnderTheNameThatItIsGiven) {
  ProcessRequest request = shell("echo $0");
  request.command[0] = "called";
  request.program = "/bin/sh";
  run(request);
  EXPECT_EQ(log("stdout.log"), "called\n");
}

TEST_F(ProcessRunTest, ItsProcessesAreFoundByTheirStampAndEnded) {
  ProcessRequest request = shell("setsid sleep 100 & echo $SCALEDIAG_STAMP");
  request.stamp = "np0001.r0-of-this-test-" + std::to_string(getpid());
  run(request);
  EXPECT_EQ(log("stdout.log"), request.stamp + "\n");
  EXPECT_EQ(std::getenv(kStampVariable), nullptr);
  EXPECT_EQ(processes_with(std::string(kStampVariable) + "=" + request.stamp).size(), 1u);
  EXPECT_EQ(end_processes_of(request.stamp, 5), 1);
  EXPECT_TRUE(processes_with(std::string(kStampVariable) + "=" + request.stamp).empty());
}

// The last end of the guard's pipe closes, as when this program is killed during a run.
TEST_F(ProcessRunTest, TheGuardEndsARunThatNobodyWatchesAnyMore) {
  const std::string stamp = "np0001.r0-guarded-" + std::to_string(getpid());
  const std::string variable = std::string(kStampVariable) + "=" + stamp;
  const pid_t watcher = fork();
  if (watcher == 0) {
    ProcessRequest request = shell("trap '' TERM; setsid sh -c \"trap '' TERM; sleep 100; true\" & wait; sleep 100");
    request.stamp = stamp;
    const InterruptionGuard guard;
    [[maybe_unused]] const auto outcome = run_process(request, guard);
    _exit(0);
  }
  const auto wait_for = [&variable](size_t least, size_t most) {
    for (int i = 0; i < 400; ++i) {
      const size_t n = processes_with(variable).size();
      if (n >= least && n <= most) return true;
      usleep(50'000);
    }
    return false;
  };
  EXPECT_TRUE(wait_for(3, 100));  // two shells and a sleep
  kill(watcher, SIGKILL);
  waitpid(watcher, nullptr, 0);
  EXPECT_TRUE(wait_for(0, 0));
}

TEST_F(ProcessRunTest, ACommandThatDoesNotExistIsAnError) {
  ProcessRequest request = shell("");
  request.command = {"/nowhere/launcher"};
  const InterruptionGuard guard;
  const auto outcome = run_process(request, guard);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, core::ErrorCode::kEnvironment);
}

TEST_F(ProcessRunTest, ALogThatCannotBeMadeIsAnError) {
  ProcessRequest request = shell("true");
  request.stdout_log = "/nowhere/stdout.log";
  const InterruptionGuard guard;
  EXPECT_FALSE(run_process(request, guard).ok());
}

TEST_F(ProcessRunTest, ALogThatCannotBeWrittenIsNamedAndTheOutputStillPassedOn) {
  struct stat info {};
  if (stat("/dev/full", &info) != 0 || !S_ISCHR(info.st_mode)) GTEST_SKIP() << "no device /dev/full";
  ProcessRequest request = shell("echo out");
  request.stdout_log = "/dev/full";
  ::testing::internal::CaptureStdout();
  const ProcessOutcome outcome = run(request);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "out\n");
  EXPECT_NE(outcome.log_error.find("/dev/full"), std::string::npos);
}

TEST_F(ProcessRunTest, ATimeOutEndsTheWholeGroup) {
  ProcessRequest request = shell("sleep 100 & sleep 100");
  request.timeout_s = 0.1;
  EXPECT_EQ(run(request).end, End::kTimedOut);
  EXPECT_TRUE(descendants().empty());
}

// The child leaves the group, as mpirun's ranks do, and ignores SIGTERM.
TEST_F(ProcessRunTest, ATimeOutEndsProcessesThatLeftTheGroup) {
  ProcessRequest request = shell("trap '' TERM; setsid sh -c \"trap '' TERM; sleep 100; true\" & wait; sleep 100");
  request.timeout_s = 0.3;
  EXPECT_EQ(run(request).end, End::kTimedOut);
  EXPECT_TRUE(descendants().empty());
}

TEST_F(ProcessRunTest, AStoppedProcessCanBeEnded) {
  ProcessRequest request = shell("kill -STOP $$");
  request.timeout_s = 0.2;
  EXPECT_EQ(run(request).end, End::kTimedOut);
}

TEST_F(ProcessRunTest, AnInterruptionEndsTheRunAndIsNamed) {
  ProcessRequest request = shell("sleep 100");
  bool sent = false;
  request.on_tick = [&sent](double) {
    if (!sent) raise(SIGTERM);
    sent = true;
  };
  const ProcessOutcome outcome = run(request);
  EXPECT_EQ(outcome.end, End::kInterrupted);
  EXPECT_EQ(outcome.signal, SIGTERM);
}

TEST_F(ProcessRunTest, AProcessThatIsLeftBehindHoldsNothingUp) {
  // It keeps the pipe open for 100 s; the test would run into its time limit.
  const ProcessOutcome outcome = run(shell("setsid sleep 100 & echo done"));
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_EQ(log("stdout.log"), "done\n");
  EXPECT_EQ(descendants().size(), 1u);  // it is the application's own affair
  kill_descendants();
  EXPECT_TRUE(descendants().empty());
}

TEST_F(ProcessRunTest, AProcessThatIsLeftBehindAndPrintsForEverHoldsNothingUp) {
  // There is output every 0.05 s, so that waiting for silence would run into the test's time limit.
  ::testing::internal::CaptureStdout();
  const ProcessOutcome outcome = run(shell("setsid sh -c 'while echo on; do sleep 0.05; done' & echo done"));
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("done\n"), std::string::npos);
  EXPECT_EQ(outcome.end, End::kExited);
  kill_descendants();
}

TEST_F(ProcessRunTest, RanksOfALauncherThatWasKilledAreEndedBeforeTheirOutputIsWaitedFor) {
  ::testing::internal::CaptureStdout();
  const ProcessOutcome outcome = run(shell("setsid sh -c 'while echo on; do sleep 0.05; done' & kill -KILL $$"));
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_TRUE(descendants().empty());
}

TEST_F(ProcessRunTest, TheChildHasTheSignalsThatWeWereStartedWith) {
  // Bits of SIGINT (2), SIGPIPE (13) and SIGTERM (15) in the mask of ignored signals: all zero.
  run(shell("sed -n 's/^SigIgn:\\t//p' /proc/self/status"));
  const unsigned long ignored = std::stoul(log("stdout.log"), nullptr, 16);
  EXPECT_EQ(ignored & (1ul << 1 | 1ul << 12 | 1ul << 14), 0u);
}

TEST_F(ProcessRunTest, TellsWhetherTheOutputEndedItsLine) {
  ProcessRequest request = shell("printf 'half a line'");
  bool line_ended = true;
  request.after_output = [&line_ended](bool ended) { line_ended = ended; };
  run(request);
  EXPECT_FALSE(line_ended);
}

TEST_F(ProcessRunTest, AStreamThatOnlyEndsDoesNotEndTheOthersLine) {
  // stderr is closed while the half line stands; then there is time to notice it.
  ProcessRequest request = shell("printf 'half a line'; sleep 0.1; exec 2>&-; sleep 0.1");
  bool line_ended = true;
  request.after_output = [&line_ended](bool ended) { line_ended = ended; };
  run(request);
  EXPECT_FALSE(line_ended);
}

}  // namespace
}  // namespace scalediag::launch
