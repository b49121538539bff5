#include "collector/launch/session/run_outcome.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace scalediag::launch {
namespace {

using core::RunState;
using End = ProcessOutcome::End;

ProcessOutcome exited(int status) {
  ProcessOutcome outcome;
  outcome.exit_status = status;
  return outcome;
}

TEST(RunOutcome, SuccessWithWholeDataIsComplete) {
  const RunOutcome run_outcome = judge_run(exited(0), {0}, 0, std::nullopt, "");
  EXPECT_EQ(run_outcome.state, RunState::kComplete);
  EXPECT_EQ(run_outcome.exit_status, 0);
}

TEST(RunOutcome, SuccessWithoutWholeDataIsIncompleteAndAnEnvironmentFailure) {
  const RunOutcome run_outcome = judge_run(exited(0), {0}, 0, std::nullopt, "rank 3 is missing");
  EXPECT_EQ(run_outcome.state, RunState::kIncomplete);
  EXPECT_EQ(run_outcome.reason, "rank 3 is missing");
  EXPECT_EQ(run_outcome.exit_status, 3);
}

TEST(RunOutcome, AnotherStatusFailsUnlessItIsAccepted) {
  const RunOutcome failed = judge_run(exited(7), {0}, 0, std::nullopt, "");
  EXPECT_EQ(failed.state, RunState::kFailed);
  EXPECT_EQ(failed.reason, "the application exited with status 7");
  EXPECT_EQ(failed.exit_status, 7);
  EXPECT_EQ(judge_run(exited(7), {0, 7}, 0, std::nullopt, "").state, RunState::kComplete);
}

TEST(RunOutcome, AnAcceptedStatusDoesNotMakeUpForMissingData) {
  const RunOutcome run_outcome = judge_run(exited(7), {0, 7}, 0, std::nullopt, "rank 1 has no footer");
  EXPECT_EQ(run_outcome.state, RunState::kIncomplete);
  EXPECT_EQ(run_outcome.reason,
            "rank 1 has no footer (some launchers kill the other ranks when one ends with status 7)");
}

TEST(RunOutcome, WhatTheResourceManagerEndedIsIncomplete) {
  const std::string limit = "Slurm ended it at the time limit of the job";
  RunOutcome ended = judge_run(exited(143), {0}, 0, RankSignal{SIGTERM, 0}, "");
  blame_resource_manager(ended, exited(143), limit);
  EXPECT_EQ(ended.state, RunState::kIncomplete);
  EXPECT_EQ(ended.reason, limit + " (exit status 143 (SIGTERM))");
  EXPECT_EQ(ended.exit_status, 3);
  RunOutcome whole = judge_run(exited(0), {0}, 0, std::nullopt, "");
  blame_resource_manager(whole, exited(0), limit);
  EXPECT_EQ(whole.state, RunState::kComplete);
  RunOutcome failed = judge_run(exited(7), {0}, 0, std::nullopt, "");
  blame_resource_manager(failed, exited(7), "");
  EXPECT_EQ(failed.state, RunState::kFailed);
}

TEST(RunOutcome, SignalsAreNamed) {
  EXPECT_EQ(judge_run(exited(139), {0}, 0, std::nullopt, "").reason,
            "the application exited with status 139 (SIGSEGV)");
  EXPECT_EQ(judge_run(exited(11), {0}, 0, RankSignal{SIGSEGV, 2}, "").reason,
            "rank 2 was killed by SIGSEGV (exit status 11)");
  // Slurm's, for a step whose memory ran out.
  EXPECT_EQ(judge_run(exited(253), {0}, 0, std::nullopt, "").reason,
            "the application exited with status 253 (from srun: a rank ran out of memory)");
  EXPECT_EQ(judge_run(exited(253), {0}, 0, RankSignal{0, 2, true}, "").reason,
            "rank 2 ran out of memory (exit status 253)");
  ProcessOutcome launcher = exited(137);
  launcher.end = End::kSignalled;
  launcher.signal = SIGKILL;
  const RunOutcome run_outcome = judge_run(launcher, {0}, 0, std::nullopt, "");
  EXPECT_EQ(run_outcome.reason, "the launcher was killed by SIGKILL");
  EXPECT_EQ(run_outcome.exit_status, 137);
}

TEST(RunOutcome, RanksThatLeaveWithoutFinalizeAreTheReason) {
  const merge::RunEnd end{2, 0, false};
  const auto explained = [&](int status, const std::optional<RankSignal>& signal, const std::string& missing) {
    RunOutcome run_outcome = judge_run(exited(status), {0}, 0, signal, missing);
    explain_end(run_outcome, exited(status), signal, end, 2, "");
    return run_outcome;
  };
  const std::string left = "; 2 of 2 ranks left without MPI_Finalize, upon which launchers end the run as failed";
  // Open MPI's launcher.
  EXPECT_EQ(explained(1, std::nullopt, "").reason, "the application exited with status 1" + left);
  EXPECT_EQ(
      explained(1, std::nullopt, "").hint,
      "let every rank call MPI_Finalize before it ends, or take such runs as they are: --accept-status 1 (1 is the "
      "launcher's status, not the program's); running the program again would most likely end the same way");
  // MPICH's launcher reports SIGHUP though it sent none, or kills the slower rank.
  EXPECT_EQ(explained(1, RankSignal{SIGHUP, -1}, "").reason, "the application exited with status 1" + left);
  EXPECT_EQ(explained(0, std::nullopt, "rank 1 has no footer").reason, "rank 1 has no footer" + left);
  EXPECT_NE(explained(0, std::nullopt, "rank 1 has no footer").hint.find("MPI_Finalize"), std::string::npos);
  // A status of the application's own is the thing to look at.
  EXPECT_EQ(explained(7, std::nullopt, "").hint, "");
  EXPECT_EQ(explained(0, std::nullopt, "").reason, "");  // complete
}

TEST(RunOutcome, RanksThatEndUnseenAreTheReason) {
  const merge::RunEnd end{0, 2, false};
  const auto explained = [&](int status, const std::optional<RankSignal>& signal) {
    RunOutcome run_outcome = judge_run(exited(status), {0}, 0, signal, status == 0 ? "rank 0 has no footer" : "");
    explain_end(run_outcome, exited(status), signal, end, 2, "");
    return run_outcome;
  };
  const std::string unseen = "; 2 of 2 ranks ended before MPI_Finalize and not by exit: by _exit, or killed";
  EXPECT_EQ(explained(1, std::nullopt).reason, "the application exited with status 1" + unseen);  // Open MPI
  EXPECT_EQ(explained(0, std::nullopt).reason, "rank 0 has no footer" + unseen);                  // MPICH
  EXPECT_NE(explained(1, std::nullopt).hint.find("--accept-status does not help"), std::string::npos);
  EXPECT_EQ(explained(1, RankSignal{SIGSEGV, 1}).hint, "");
  EXPECT_EQ(explained(7, std::nullopt).hint, "");
}

TEST(RunOutcome, ALauncherOfAnotherMpiIsTheReason) {
  const merge::RunEnd end{0, 0, true};
  RunOutcome run_outcome = judge_run(exited(5), {0}, 0, std::nullopt, "");
  explain_end(run_outcome, exited(5), std::nullopt, end, 4, "take another");
  EXPECT_EQ(
      run_outcome.reason,
      "the application exited with status 5; each process found itself alone in MPI_COMM_WORLD where 4 ranks were "
      "asked for: the launcher belongs to another MPI than the program, or does not start the ranks as one job");
  EXPECT_EQ(run_outcome.hint, "take another");
  // Missing data have it as their first reason.
  run_outcome = judge_run(exited(0), {0}, 0, std::nullopt, "its reason; rank 1: no raw file");
  explain_end(run_outcome, exited(0), std::nullopt, end, 4, "take another");
  EXPECT_EQ(run_outcome.reason, "its reason; rank 1: no raw file");
  EXPECT_EQ(run_outcome.hint, "take another");
}

TEST(RunOutcome, TimeOutAndInterruptionHaveTheirOwnStatus) {
  ProcessOutcome outcome = exited(143);
  outcome.end = End::kTimedOut;
  EXPECT_EQ(judge_run(outcome, {0}, 2.5, std::nullopt, "").exit_status, 124);
  EXPECT_EQ(judge_run(outcome, {0}, 2.5, std::nullopt, "").reason, "it ran longer than --timeout 2.5 and was ended");
  // Four times as long, in whole seconds.
  EXPECT_NE(judge_run(outcome, {0}, 2.6, std::nullopt, "").hint.find("a larger --timeout, such as 11,"),
            std::string::npos);
  outcome.end = End::kInterrupted;
  outcome.signal = SIGINT;
  EXPECT_EQ(judge_run(outcome, {0}, 0, std::nullopt, "").exit_status, 130);
}

TEST(RunOutcome, AnIncompleteLogMakesTheRunIncomplete) {
  ProcessOutcome outcome = exited(0);
  outcome.log_error = "stdout.log could not be written";
  EXPECT_EQ(judge_run(outcome, {0}, 0, std::nullopt, "").state, RunState::kIncomplete);
}

}  // namespace
}  // namespace scalediag::launch
