// An emulated run as a run of an experiment folder, with its profile.
#pragma once

#include <memory>
#include <string>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/store/experiment_store.h"
#include "core/profile/emulated_times.h"
#include "core/result.h"

namespace scalediag::emulate {

class EmulatedProfile {
 public:
  // Opens the folder, and begins its next run of `np` ranks in it. Errors: as of ExperimentStore::open().
  static Result<EmulatedProfile> begin(const launch::ProfilePreparation& preparation);

  std::string run_folder() const { return store_.folder().run_folder(id_); }
  const std::string& stamp() const { return entry().stamp; }

  // The run did not end as it should; it counts for nothing.
  Status fail(const std::string& reason, int exit_status);
  // Writes the emulated times and the profile of all runs. Error: the run's data are not complete (kEnvironment);
  // files cannot be written.
  Status finish(const core::EmulatedTimes& times, double elapsed_s);

 private:
  EmulatedProfile(launch::ExperimentStore store, core::Configuration configuration, int repeat);
  core::RunEntry& entry() { return store_.entry(configuration_, repeat_); }
  const core::RunEntry& entry() const { return const_cast<EmulatedProfile*>(this)->entry(); }

  launch::ExperimentStore store_;
  core::Configuration configuration_;
  int repeat_;
  std::string id_;
};

}  // namespace scalediag::emulate
