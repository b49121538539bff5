#include "cli/run_verdict.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace scalediag::cli {
namespace {

using core::RunState;
using End = ProcessOutcome::End;

ProcessOutcome exited(int status) {
  ProcessOutcome outcome;
  outcome.exit_status = status;
  return outcome;
}

TEST(RunVerdict, SuccessWithWholeDataIsComplete) {
  const RunVerdict verdict = judge_run(exited(0), {0}, 0, std::nullopt, "");
  EXPECT_EQ(verdict.state, RunState::kComplete);
  EXPECT_EQ(verdict.exit_status, 0);
}

TEST(RunVerdict, SuccessWithoutWholeDataIsIncompleteAndAnEnvironmentFailure) {
  const RunVerdict verdict = judge_run(exited(0), {0}, 0, std::nullopt, "rank 3 is missing");
  EXPECT_EQ(verdict.state, RunState::kIncomplete);
  EXPECT_EQ(verdict.reason, "rank 3 is missing");
  EXPECT_EQ(verdict.exit_status, 3);
}

TEST(RunVerdict, AnotherStatusFailsUnlessItIsAccepted) {
  const RunVerdict failed = judge_run(exited(7), {0}, 0, std::nullopt, "");
  EXPECT_EQ(failed.state, RunState::kFailed);
  EXPECT_EQ(failed.reason, "the application exited with status 7");
  EXPECT_EQ(failed.exit_status, 7);
  EXPECT_EQ(judge_run(exited(7), {0, 7}, 0, std::nullopt, "").state, RunState::kComplete);
}

TEST(RunVerdict, AnAcceptedStatusDoesNotMakeUpForMissingData) {
  const RunVerdict verdict = judge_run(exited(7), {0, 7}, 0, std::nullopt, "rank 1 has no footer");
  EXPECT_EQ(verdict.state, RunState::kIncomplete);
  EXPECT_EQ(verdict.reason, "rank 1 has no footer (some launchers kill the other ranks when one ends with status 7)");
}

TEST(RunVerdict, SignalsAreNamed) {
  EXPECT_EQ(judge_run(exited(139), {0}, 0, std::nullopt, "").reason,
            "the application exited with status 139 (SIGSEGV)");
  EXPECT_EQ(judge_run(exited(11), {0}, 0, RankSignal{SIGSEGV, 2}, "").reason,
            "rank 2 was killed by SIGSEGV (exit status 11)");
  ProcessOutcome launcher = exited(137);
  launcher.end = End::kSignalled;
  launcher.signal = SIGKILL;
  const RunVerdict verdict = judge_run(launcher, {0}, 0, std::nullopt, "");
  EXPECT_EQ(verdict.reason, "the launcher was killed by SIGKILL");
  EXPECT_EQ(verdict.exit_status, 137);
}

TEST(RunVerdict, TimeOutAndInterruptionHaveTheirOwnStatus) {
  ProcessOutcome outcome = exited(143);
  outcome.end = End::kTimedOut;
  EXPECT_EQ(judge_run(outcome, {0}, 2.5, std::nullopt, "").exit_status, 124);
  EXPECT_EQ(judge_run(outcome, {0}, 2.5, std::nullopt, "").reason, "it ran longer than --timeout 2.5 and was ended");
  outcome.end = End::kInterrupted;
  outcome.signal = SIGINT;
  EXPECT_EQ(judge_run(outcome, {0}, 0, std::nullopt, "").exit_status, 130);
}

TEST(RunVerdict, AnIncompleteLogMakesTheRunIncomplete) {
  ProcessOutcome outcome = exited(0);
  outcome.log_error = "stdout.log could not be written";
  EXPECT_EQ(judge_run(outcome, {0}, 0, std::nullopt, "").state, RunState::kIncomplete);
}

}  // namespace
}  // namespace scalediag::cli
