// The outcome of a run that has ended.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "collector/launch/process/process_run.h"
#include "collector/launch/process/rank_failure.h"
#include "collector/launch/process/status_text.h"
#include "collector/merge/merge.h"
#include "core/experiment/experiment.h"

namespace scalediag::launch {

struct RunOutcome {
  core::RunState state = core::RunState::kComplete;
  std::string reason;               // empty for a complete run
  int exit_status = 0;              // the status that scalediag passes on for this run; 0 if it is complete
  std::string hint = {};            // the remedy, where running the same again does not help
  bool tells_missing_data = false;  // the reason has that of judge_run's `missing_data`
};

// The reason for the application's end: "rank 1 was killed by SIGSEGV (exit status 139)" where the launcher's output
// has it, else "the application exited with status 3".
std::string describe_failure(int exit_status, const std::optional<RankSignal>& rank_signal);

// Data are used only if the application ended as it should and every rank's data are whole. `missing_data` is the
// reason why they are not, empty if they are. An incomplete run of an application that succeeded is an environment
// failure.
RunOutcome judge_run(const ProcessOutcome& outcome, const std::set<int>& accepted_statuses, double timeout_s,
                     const std::optional<RankSignal>& rank_signal, const std::string& missing_data);

// A run that the resource manager ended is not the program's failure, but incomplete: the reason is then `job_end`
// (find_job_end()), behind which the launcher's status is named. Does nothing where that is empty or the run complete.
void blame_resource_manager(RunOutcome& run_outcome, const ProcessOutcome& outcome, const std::string& job_end);

// Adds the information of the raw files about its end to the outcome of a run of `np` ranks. `own_launcher` is the hint
// for a launcher that does not fit the program.
void explain_end(RunOutcome& run_outcome, const ProcessOutcome& outcome, const std::optional<RankSignal>& rank_signal,
                 const merge::RunEnd& end, int np, const std::string& own_launcher);

}  // namespace scalediag::launch
