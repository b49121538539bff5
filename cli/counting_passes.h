// The runs under valgrind that count, after the timed ones: one a configuration that has a complete run and no counts.
#pragma once

#include <string>
#include <vector>

#include "cli/experiment_store.h"
#include "cli/interruption.h"
#include "cli/measured_runs.h"
#include "cli/process_run.h"
#include "cli/profile_preparation.h"
#include "cli/profile_request.h"
#include "cli/progress.h"
#include "core/result.h"

namespace scalediag::cli {

// Up to so long all passes together may take for --counters auto to start them unasked.
constexpr double kUnaskedSimulation_s = 120;

// With so many times --timeout a pass is ended: its code runs that much slower.
constexpr double kPassTimeoutFactor = 100;

struct PassesOutcome {
  int n_run = 0;
  int interrupted_by = 0;
  std::string failure;  // "np0004.simulated: reason", of the pass that failed; the others were not tried then
  std::string hint;
};

// How long a pass takes, from the runs that were timed: the code outside MPI of as many ranks at a time as there are
// cores, slowed down, and starting them. 0 where there is no run.
double expected_pass_s(const std::vector<const core::Run*>& measured, int simulated_ranks, int cores);

class CountingPasses {
 public:
  // All outlive this.
  CountingPasses(const ProfileRequest& request, const ProfilePreparation& preparation, ExperimentStore& store,
                 MeasuredRuns& measured, Progress& progress, const InterruptionGuard& interruption);

  // Settles what --counters auto left open, and says so; announces what the passes cost; runs them. The experiment and
  // the profile are on disk afterwards. Errors: the folder cannot be written, a launcher cannot be started.
  core::Result<PassesOutcome> run();

 private:
  struct Missing {
    const PlannedConfiguration* plan = nullptr;
    counters::RankChoice ranks;
    double expected_s = 0;
  };
  std::vector<Missing> find_missing();
  bool is_usable(const core::CountingPass& pass);
  counters::RankChoice ranks_for(const core::Configuration& configuration) const;
  void settle(const std::vector<Missing>& missing);
  void announce(const std::vector<Missing>& missing) const;
  core::Status run_one(const Missing& missing, int number, int total, double left_s, PassesOutcome& outcome);
  core::Result<ProcessOutcome> launch(const Missing& missing, core::CountingPass& pass);
  std::vector<std::string> command_for(const Missing& missing, const std::string& folder) const;
  std::string what_failed(const core::CountingPass& pass, const ProcessOutcome& process, std::string& hint);
  core::Status keep_results();

  const ProfileRequest& request_;
  const ProfilePreparation& preparation_;
  ExperimentStore& store_;
  MeasuredRuns& measured_;
  Progress& progress_;
  const InterruptionGuard& interruption_;
};

}  // namespace scalediag::cli
