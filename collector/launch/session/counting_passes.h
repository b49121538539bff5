// The counting runs under valgrind after the timed ones: one for each configuration with a complete run and no counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/counters/callgrind/callgrind_caches.h"
#include "collector/launch/notices.h"
#include "collector/launch/plan/pass_cost.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/process/interruption.h"
#include "collector/launch/process/process_run.h"
#include "collector/launch/session/measured_runs.h"
#include "collector/launch/session/part_counting.h"
#include "collector/launch/session/progress.h"
#include "collector/launch/store/experiment_store.h"
#include "core/result.h"

namespace scalediag::launch {

struct PassesOutcome {
  int n_run = 0;
  int interrupted_by = 0;
  // "np0004.simulated: reason", of the first pass that failed; the later ones were not tried, but for those in part.
  std::string failure;
  std::string hint;
  std::string machine_failure;  // the reason for which measuring the machine failed; empty: it did not
};

class CountingPasses {
 public:
  // All arguments outlive this object. `budget_s`: for passes that nobody asked for by name.
  CountingPasses(const ProfileRequest& request, const ProfilePreparation& preparation, ExperimentStore& store,
                 MeasuredRuns& measured, Progress& progress, Notices& notices, const InterruptionGuard& interruption,
                 double budget_s);

  // Passes are made in part where they can be. `counting` outlives this object.
  void count_in_part(const PartCounting& counting) { part_counting_ = &counting; }

  // Makes the choice that --counters auto left open, and announces it and the cost of the passes; runs them. The
  // experiment and the profile are on disk afterwards. Errors: the folder cannot be written, a launcher cannot be
  // started.
  Result<PassesOutcome> run();

 private:
  struct Missing {
    const PlannedConfiguration* plan = nullptr;
    counters::RankChoice ranks;
    double expected_s = 0;  // by expected_pass_s() alone
    double llc_bytes = 0;   // as core::CountingPass::measured_llc_bytes
    counters::CallgrindCaches caches = {};
  };
  // The time limit of a pass, and the message when it is ended.
  struct Limit {
    std::optional<double> timeout_s;
    std::string reason;
    std::string hint;
  };
  std::vector<Missing> find_missing();
  bool is_usable(const core::CountingPass& pass);
  bool has_traces(const core::CountingPass& pass) const;
  bool is_in_part(const core::CountingPass& pass) const;
  counters::RankChoice ranks_for(const core::Configuration& configuration) const;
  // The duration of the passes from `begin` on, in seconds, at the pace of those that were run.
  double expected_s(const std::vector<Missing>& missing, size_t begin) const;
  bool is_unasked() const { return preparation_.counters.source.empty(); }
  // Measures the machine where that was not done yet, and finds the caches to simulate. Returns why measuring failed.
  std::string choose_caches(std::vector<Missing>& missing);
  void settle(const std::vector<Missing>& missing);
  void announce(const std::vector<Missing>& missing) const;
  void announce_parts(const std::vector<Missing>& missing) const;
  void tell_caches(const std::vector<Missing>& missing) const;
  Limit limit_of_next() const;
  Status run_one(const std::vector<Missing>& missing, size_t i, PassesOutcome& outcome);
  // What counting in part may take of the configuration, in seconds.
  double part_budget_s(const Missing& missing) const;
  // False: the configuration is to be counted whole.
  Result<bool> run_in_part(const Missing& missing, PassesOutcome& outcome);
  bool may_be_whole(const Missing& missing, core::CountingPass& pass);
  static void note_failure(const core::CountingPass& pass, const std::string& hint, PassesOutcome& outcome);
  Result<ProcessOutcome> launch(const Missing& missing, const Limit& limit, core::CountingPass& pass);
  std::vector<std::string> command_for(const Missing& missing, const std::string& folder) const;
  std::string what_failed(const core::CountingPass& pass, const ProcessOutcome& process, const Limit& limit,
                          std::string& hint);
  Status keep_results();

  const ProfileRequest& request_;
  const ProfilePreparation& preparation_;
  ExperimentStore& store_;
  MeasuredRuns& measured_;
  Progress& progress_;
  Notices& notices_;
  const InterruptionGuard& interruption_;
  const double budget_s_;
  const PartCounting* part_counting_ = nullptr;
  double part_budget_s_ = 0;  // of the configurations so far that are counted in part
  PassPace pace_;
  double spent_s_ = 0;  // by passes of this call
};

}  // namespace scalediag::launch
