// Executes the missing runs of an experiment folder, one after the other.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/launch/notices.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/plan/run_inputs.h"
#include "collector/launch/plan/run_schedule.h"
#include "collector/launch/plan/trace_cost.h"
#include "collector/launch/process/interruption.h"
#include "collector/launch/process/process_run.h"
#include "collector/launch/session/measured_runs.h"
#include "collector/launch/session/part_counting.h"
#include "collector/launch/session/progress.h"
#include "collector/launch/session/run_outcome.h"
#include "collector/launch/store/experiment_store.h"
#include "core/profile/sampling_gaps.h"

namespace scalediag::launch {

struct SessionOutcome {
  int exit_status = 0;  // of the first run that failed in this session; 0 if none did
  int n_run = 0;
  int interrupted_by = 0;
  int stdout_error = 0;               // see ProcessOutcome
  bool stopped_early = false;         // the application cannot run at all, or writes no data
  std::string stopped_at;             // the configuration whose first run failed, so that no other was made
  bool other_build = false;           // the last run was not of the build that the folder's runs are of
  std::vector<std::string> failures;  // "np0004.r0: reason"
  std::string hint;                   // the remedy for the first of them, where running it again does not help
};

class ProfileSession {
 public:
  // All arguments outlive this object.
  ProfileSession(const ProfileRequest& request, const ProfilePreparation& preparation, ExperimentStore& store,
                 Progress& progress, Notices& notices);

  // Configurations are counted in part where they can be.
  void count_in_part(PartCounting counting) { part_counting_ = std::move(counting); }

  // Errors: the folder cannot be written, a launcher cannot be started. Completed runs are on disk then as well.
  Result<SessionOutcome> run();

  // Turns counts into time by the properties of this machine, which is measured if they are not known yet. Does nothing
  // without counts. A measurement that failed is tried again only where this session made runs. Errors: see machine_of
  // (the runs are valid all the same).
  Status use_machine(bool made_runs);

  const MeasuredRuns& measured() const { return measured_; }
  const InterruptionGuard& interruption() const { return interruption_; }
  const RunSchedule& schedule() const { return schedule_; }
  // The stability of a configuration's complete repeats.
  core::Stability stability_of(size_t configuration) const;
  // The time in seconds that the repeats may take, and what is left of it.
  double budget_s() const;
  double time_left_s() const;
  // The budget that would give all functions enough samples; 0 where the limit of repeats does not allow for that.
  double seconds_for_samples(const std::vector<core::SamplingGap>& gaps) const;
  // The reason why no complete repeat of the configuration has a trace; empty: one has, or there is no such repeat.
  std::string why_untraced(size_t configuration) const;

 private:
  Status take_up_earlier_runs();
  Status run_one(const RunChoice& choice, SessionOutcome& outcome);
  Result<ProcessOutcome> launch(const RunChoice& choice, core::RunEntry& entry);
  Status settle(const RunChoice& choice, const ProcessOutcome& process, SessionOutcome& outcome);
  Status keep_results();
  void warn_of_nodes(const core::RunEntry& entry);
  void note_written_files(const core::RunEntry& entry);
  std::vector<std::string> command_for(const PlannedConfiguration& plan, const core::RunEntry& entry,
                                       const std::string& run_folder) const;
  Status count(SessionOutcome& outcome);
  void announce(const RunChoice& choice);
  void update_schedule();
  void tell_budget();
  RecordedTraces recorded_traces(const core::Configuration& configuration) const;
  bool is_recorded(const core::RunEntry& entry) const;
  Status keep_cheap_trace(const core::RunEntry& entry);

  const ProfileRequest& request_;
  const ProfilePreparation& preparation_;
  ExperimentStore& store_;
  MeasuredRuns measured_;
  RunSchedule schedule_;
  Progress& progress_;
  Notices& notices_;
  OutputWatch outputs_;
  bool budget_is_told_ = false;
  PartCounting part_counting_;   // empty: counting is of whole runs
  std::string machine_failure_;  // of this session's counting passes
  std::set<size_t> told_;        // configurations of which a run was told
  InterruptionGuard interruption_;
};

}  // namespace scalediag::launch
