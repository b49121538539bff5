#include "cli/run_verdict.h"

#include <string.h>

#include "cli/command.h"
#include "core/numbers.h"

namespace scalediag::cli {

using core::RunState;

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string describe_status(int exit_status) {
  const std::string text = std::to_string(exit_status);
  const bool is_signal = exit_status > 128 && sigabbrev_np(exit_status - 128) != nullptr;
  return is_signal ? text + " (" + signal_name(exit_status - 128) + ")" : text;
}

std::string describe_failure(int exit_status, const std::optional<RankSignal>& rank_signal) {
  if (!rank_signal) return "the application exited with status " + describe_status(exit_status);
  const std::string who = rank_signal->rank >= 0 ? "rank " + std::to_string(rank_signal->rank) : "a rank";
  return who + " was killed by " + signal_name(rank_signal->signal) + " (exit status " + std::to_string(exit_status) +
         ")";
}

RunVerdict judge_run(const ProcessOutcome& outcome, const std::set<int>& accepted_statuses, double timeout_s,
                     const std::optional<RankSignal>& rank_signal, const std::string& missing_data) {
  switch (outcome.end) {
    case ProcessOutcome::End::kInterrupted:
      return {RunState::kFailed, "it was interrupted by " + signal_name(outcome.signal), 128 + outcome.signal};
    case ProcessOutcome::End::kTimedOut:
      return {RunState::kFailed, "it ran longer than --timeout " + core::to_text(timeout_s) + " and was ended",
              kExitTimeout};
    case ProcessOutcome::End::kSignalled:
      return {RunState::kFailed, "the launcher was killed by " + signal_name(outcome.signal), outcome.exit_status};
    case ProcessOutcome::End::kExited:
      break;
  }
  if (accepted_statuses.count(outcome.exit_status) == 0) {
    return {RunState::kFailed, describe_failure(outcome.exit_status, rank_signal), outcome.exit_status};
  }
  if (!outcome.log_error.empty()) return {RunState::kIncomplete, outcome.log_error, kExitEnvironment};
  if (!missing_data.empty() && outcome.exit_status != 0) {
    // Open MPI's mpirun. That it should not is left to the user, since its own status then says nothing any more.
    return {RunState::kIncomplete,
            missing_data + " (some launchers kill the other ranks when one ends with status " +
                std::to_string(outcome.exit_status) + ")",
            kExitEnvironment};
  }
  if (!missing_data.empty()) return {RunState::kIncomplete, missing_data, kExitEnvironment};
  return {RunState::kComplete, "", kExitSuccess};
}

}  // namespace scalediag::cli
