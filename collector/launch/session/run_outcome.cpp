#include "collector/launch/session/run_outcome.h"

#include <signal.h>

#include <cmath>

#include "collector/merge/run_scan.h"
#include "core/exit_status.h"
#include "core/text/numbers.h"

namespace scalediag::launch {

using core::RunState;

namespace {

constexpr char kJobEndHint[] =
    "run the same command again in a new job: it repeats this run, and no part of it is used";

std::string timeout_hint(double timeout_s) {
  constexpr double kLonger = 4;
  return "the same command with a larger --timeout, such as " + core::to_text(std::ceil(kLonger * timeout_s)) +
         ", repeats only these runs; or profile a smaller input, into another folder (-o)";
}

}  // namespace

std::string describe_failure(int exit_status, const std::optional<RankSignal>& rank_signal) {
  if (!rank_signal) return "the application exited with status " + describe_status(exit_status);
  const std::string who = rank_signal->rank >= 0 ? "rank " + std::to_string(rank_signal->rank) : "a rank";
  if (rank_signal->out_of_memory) return who + " ran out of memory (exit status " + std::to_string(exit_status) + ")";
  return who + " was killed by " + signal_name(rank_signal->signal) + " (exit status " + std::to_string(exit_status) +
         ")";
}

RunOutcome judge_run(const ProcessOutcome& outcome, const std::set<int>& accepted_statuses, double timeout_s,
                     const std::optional<RankSignal>& rank_signal, const std::string& missing_data) {
  switch (outcome.end) {
    case ProcessOutcome::End::kInterrupted:
      return {RunState::kFailed, "it was interrupted by " + signal_name(outcome.signal), 128 + outcome.signal};
    case ProcessOutcome::End::kTimedOut:
      return {RunState::kFailed, "it ran longer than --timeout " + core::to_text(timeout_s) + " and was ended",
              core::kExitTimeout, timeout_hint(timeout_s)};
    case ProcessOutcome::End::kSignalled:
      return {RunState::kFailed, "the launcher was killed by " + signal_name(outcome.signal), outcome.exit_status};
    case ProcessOutcome::End::kGivenUp: return {RunState::kFailed, "it was given up", core::kExitEnvironment};
    case ProcessOutcome::End::kExited: break;
  }
  if (accepted_statuses.count(outcome.exit_status) == 0) {
    return {RunState::kFailed, describe_failure(outcome.exit_status, rank_signal), outcome.exit_status};
  }
  if (!outcome.log_error.empty()) return {RunState::kIncomplete, outcome.log_error, core::kExitEnvironment};
  if (!missing_data.empty() && outcome.exit_status != 0) {
    // Open MPI's mpirun does so. The option against it is left to the user, since mpirun's own status is then
    // meaningless.
    return {RunState::kIncomplete,
            missing_data + " (some launchers kill the other ranks when one ends with status " +
                std::to_string(outcome.exit_status) + ")",
            core::kExitEnvironment, "", true};
  }
  if (!missing_data.empty()) return {RunState::kIncomplete, missing_data, core::kExitEnvironment, "", true};
  return {RunState::kComplete, "", core::kExitSuccess};
}

void blame_resource_manager(RunOutcome& run_outcome, const ProcessOutcome& outcome, const std::string& job_end) {
  // At the end of a job its processes are ended, scalediag among them.
  const bool by_others = outcome.end != ProcessOutcome::End::kTimedOut && outcome.end != ProcessOutcome::End::kGivenUp;
  if (job_end.empty() || !by_others || run_outcome.state == RunState::kComplete) return;
  run_outcome = {RunState::kIncomplete, job_end + " (exit status " + describe_status(outcome.exit_status) + ")",
                 core::kExitEnvironment, kJobEndHint};
}

void explain_end(RunOutcome& run_outcome, const ProcessOutcome& outcome, const std::optional<RankSignal>& rank_signal,
                 const merge::RunEnd& end, int np, const std::string& own_launcher) {
  if (run_outcome.state == RunState::kComplete || outcome.end != ProcessOutcome::End::kExited) return;
  if (end.each_alone) {
    run_outcome.hint = own_launcher;
    if (!run_outcome.tells_missing_data) run_outcome.reason += "; " + merge::each_alone_text(np);
    return;
  }
  if (end.left_without_finalize == 0) {
    // A status of the application's own, and a signal, are the thing to look at.
    if (end.ended_unseen == 0 || outcome.exit_status > 1 || rank_signal) return;
    run_outcome.reason += "; " + std::to_string(end.ended_unseen) + " of " + std::to_string(np) +
                          " ranks ended before MPI_Finalize and not by exit: by _exit, or killed";
    run_outcome.hint =
        "let every rank call MPI_Finalize and end by exit or return from main, which _exit leaves out; the status is "
        "the launcher's, and --accept-status does not help where the data are not written";
    return;
  }
  // Hydra records the end of a process that has not called MPI_Finalize as wait status 1, unless the process itself
  // returns something else, and interprets that as signal 1. No process was sent a SIGHUP then.
  const bool is_stand_in = rank_signal && rank_signal->signal == SIGHUP && rank_signal->rank < 0;
  if (is_stand_in) run_outcome.reason = describe_failure(outcome.exit_status, std::nullopt);
  run_outcome.reason += "; " + std::to_string(end.left_without_finalize) + " of " + std::to_string(np) +
                        " ranks left without MPI_Finalize, upon which launchers end the run as failed";
  // Open MPI's launcher makes status 1 of it. Any other status is the application's own, and has precedence.
  if (outcome.exit_status <= 1 || is_stand_in) {
    run_outcome.hint = "let every rank call MPI_Finalize before it ends";
    if (run_outcome.state == RunState::kFailed) {
      const std::string status = std::to_string(outcome.exit_status);
      run_outcome.hint += ", or take such runs as they are: --accept-status " + status + " (" + status +
                          " is the launcher's status, not the program's)";
    }
    run_outcome.hint += "; running the program again would most likely end the same way";
  }
}

}  // namespace scalediag::launch
