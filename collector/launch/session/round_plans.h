// Runs that end after some rounds of the program's main loop (profile --iterations): which runs those are, and at which
// call of MPI their rounds are counted.
//
// For each combination of parameters the run of the fewest processes is made to its end; it tells the call and the
// number of rounds. The next run is of the same configuration and ended after the rounds: its time, extended to the
// whole run, is held against that of the first. Where it is more than kMostApart off, the program's rounds are not
// alike, and all others are made to their ends; else they are ended as well.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "collector/launch/notices.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
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
  RoundPlans(const ProfileRequest& request, const ProfilePreparation& preparation, const ExperimentStore& store,
             const MeasuredRuns& measured, Notices& notices)
      : request_(request), preparation_(preparation), store_(store), measured_(measured), notices_(notices) {}

  // A run that has to be made before those of the schedule; nothing: there is none. Error: that of reading a run.
  Result<std::optional<RunChoice>> next();
  // raw::RoundsRequest of the next run of a configuration, as text; empty: it is made to its end.
  std::string request_of(const core::Configuration& configuration) const;
  // To be called with an ended run that is complete. False: its rounds do not stand for the whole run, so that it is
  // not to be kept, and the next runs are whole ones; that is said.
  bool accept(const core::Run& run);

 private:
  struct Plan {
    std::optional<core::Configuration> whole;  // of the whole run that tells the rounds
    merge::LoopSite site;
    uint64_t rounds = 0;
    bool is_checked = false, is_being_checked = false, is_refused = false;
  };
  using Parameters = std::map<std::string, double>;

  const core::Run* whole_run(const Parameters& parameters) const;
  Status learn(const core::Run& whole, Plan& plan);
  void refuse(Plan& plan, const std::string& reason, const std::string& hint);
  std::optional<size_t> fewest_processes(const Parameters& parameters) const;
  RunChoice first_missing(size_t configuration) const;

  const ProfileRequest& request_;
  const ProfilePreparation& preparation_;
  const ExperimentStore& store_;
  const MeasuredRuns& measured_;
  Notices& notices_;
  std::map<Parameters, Plan> plans_;
};

}  // namespace scalediag::launch
