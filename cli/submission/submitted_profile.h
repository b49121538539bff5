// `scalediag profile --submit`: the runs are made by jobs of a batch system, and collected by the same command later.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
#include "core/result.h"

namespace scalediag::cli {

struct SubmitOptions {
  std::optional<std::string> options;  // for the batch system, as typed; empty: nothing is submitted
  std::string batch_system;            // empty: the one that is installed
  bool as_array = false;
  bool dry_run = false;
  bool wait = false;
};

void add_submit_options(CLI::App& command, SubmitOptions& options);

// In a job that was submitted: the request of that job instead of the whole one's. Returns whether this is such a job.
// Error (kUsage): the variable that says so has no number.
Result<bool> become_submitted_job(launch::ProfileRequest& request);

struct SubmissionOutcome {
  int exit_status = 0;
  bool has_all = false;  // every number of processes is in the experiment
};

// Collects the jobs that have ended, submits those that are missing or failed, waits where that was asked for, and says
// how each one stands. `words` are those that scalediag was called with. Errors: what was asked contradicts itself
// (kUsage), there is no batch system, it refuses a job, a file cannot be written (kEnvironment), the folder belongs to
// another experiment (kInput).
Result<SubmissionOutcome> advance_submission(const launch::ProfileRequest& request,
                                             const launch::ProfilePreparation& plan, const SubmitOptions& options,
                                             const std::vector<std::string>& words);

}  // namespace scalediag::cli
