// All checks that are possible before anything runs, and the data that the runs need.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collector/launch/host/installation.h"
#include "collector/launch/plan/counter_choice.h"
#include "collector/launch/plan/profile_plan.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/plan/run_schedule.h"
#include "collector/launch/process/stdin_source.h"
#include "collector/launch/program/launcher.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

// Of the main loop (profile --iterations): those after which runs are ended, and all.
struct Iterations {
  uint64_t measured = 0;
  std::optional<uint64_t> all;  // empty: as many as the first run has
};

struct ProfilePreparation {
  std::vector<PlannedConfiguration> configurations;
  RepeatPolicy repeats;
  std::set<int> accepted_statuses;  // 0 and those of --accept-status
  Installation installation;
  Launcher launcher;
  std::string launcher_hint;  // for a launcher that belongs to another MPI than the program
  bool mpi_is_known = true;   // false with --launcher or --mpi: whether MPI is used at all was not checked
  bool program_is_script = false;
  CounterChoice counters;
  std::optional<Iterations> iterations;  // empty: runs are made to their ends
  StdinSource stdin_source;
  std::vector<std::string> argument_paths;  // that the application may read or write, see run_inputs.h
  std::string folder;                       // absolute
  core::Experiment experiment;              // without runs
  std::vector<std::string> notes;           // choices that were made for the user
};

// The part of prepare_profile() that needs no program, launcher or MPI: the configurations, repeats and folder of what
// was asked, the paths in its arguments, its parameters and words.
Result<ProfilePreparation> plan_profile(const ProfileRequest& request);

// Reads the application, the launcher and this machine; starts nothing but the dynamic loader's listing and
// `mpirun --version`, and inside an allocation the trials of choose_by_trial(); creates nothing. Errors carry a hint.
Result<ProfilePreparation> prepare_profile(const ProfileRequest& request);

// The same for one run. Error (kUsage): also several values of a parameter.
Result<ProfilePreparation> prepare_run(ProfileRequest request, int np);

// The request that goes on with an experiment as it was begun: its program, launcher and what is measured. Of its runs'
// numbers, output, repeats and limits of time it says nothing.
ProfileRequest request_of(const core::Experiment& experiment);

}  // namespace scalediag::launch
