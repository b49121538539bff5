// Runs that end after some rounds of the program's main loop (profile --iterations): which runs those are, and at which
// call of MPI their rounds are counted.
//
// For each combination of parameters the run of the fewest processes is made to its end; it tells the call and the
// number of rounds. The next run is of the same configuration and ended after the rounds: its time, extended to the
// whole run, is held against that of the first. Where it is more than kMostApart off, the program's rounds are not
// alike, and all others are made to their ends; else they are ended as well, and the whole run is no repeat of theirs
// (core/profile/repeats/ended_runs.h). A reason to end none stays in the experiment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "collector/launch/notices.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/run_schedule.h"
#include "collector/launch/session/measured_runs.h"
#include "collector/launch/store/experiment_store.h"
#include "collector/merge/main_loop.h"
#include "core/result.h"

namespace scalediag::launch {

class RoundPlans {
 public:
  static constexpr double kMostApart = 0.1;
  // Ended runs have to leave out this part of the rounds at least.
  static constexpr double kLeastSaved = 0.5;

  // All arguments outlive this object.
  RoundPlans(const ProfilePreparation& preparation, ExperimentStore& store, const MeasuredRuns& measured,
             Notices& notices);

  // The run to make: the scheduled one, or one that has to be made before it. Error: that of reading a run.
  Result<std::optional<RunChoice>> next(const std::optional<RunChoice>& scheduled);
  // raw::RoundsRequest of the next run of a configuration, as text; empty: it is made to its end.
  std::string request_of(const core::Configuration& configuration) const;
  // Whether all ranks of a run were ended as they were asked to. Launchers may take that for a failure.
  bool has_ended(const core::RunEntry& entry) const;
  // To be called with each run once it is known whether its data are complete. False: the run is as if it had not been
  // made, since its rounds do not stand for the whole run; the next ones are whole, which is said.
  Result<bool> accept(const core::RunEntry& entry, bool is_complete);

 private:
  struct Plan {
    core::Configuration whole;  // of the whole run that tells the rounds
    merge::LoopSite site;
    uint64_t rounds = 0;
  };
  using Parameters = std::map<std::string, double>;

  bool is_asked() const;
  std::optional<size_t> planned(const core::Configuration& configuration) const;
  size_t fewest_processes(const Parameters& parameters) const;
  // The whole run of the fewest processes to which an ended one was held, or can be; null: there is none.
  const core::Run* whole_run(const Parameters& parameters) const;
  bool has_ended_run(const core::Configuration& configuration, int but_for = -1) const;
  RunChoice first_missing(size_t configuration) const;
  Status learn(const core::Run& whole);
  // Of accept(). `is_check`: the run is the one by which rounds are found to be alike.
  Result<bool> accept_failed(const core::RunEntry& entry, bool is_check);
  Result<bool> compare_with_whole(const core::Run& ended);
  Status refuse(const std::string& reason, const std::string& hint);

  const ProfilePreparation& preparation_;
  ExperimentStore& store_;
  const MeasuredRuns& measured_;
  Notices& notices_;
  std::map<Parameters, Plan> plans_;
  bool check_failed_ = false;
};

}  // namespace scalediag::launch
