// The launcher of a profile: the one that was named, or the one that works, and the MPI that it starts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/launch/plan/profile_plan.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/program/launcher.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

// The part of a preparation that the launcher depends on.
struct LaunchPlan {
  const std::vector<PlannedConfiguration>& configurations;
  const std::string& folder;  // of the experiment, which may go on
  int cores = 1;
};

struct LauncherChoice {
  Launcher launcher;
  MpiUse mpi;
  std::vector<core::LauncherTrial> tried;  // as of choose_by_trial()
  std::map<int, int> nodes;                // as of Experiment
  int ranks_per_node = 0;
  std::vector<std::string> notes;  // choices that were made for the user
};

// Each number of processes once, in the order of the configurations.
std::vector<int> process_counts_of(const std::vector<PlannedConfiguration>& configurations);

// Errors: options that contradict each other or the program (kUsage); an MPI that is not known (kInput); no launcher is
// found, or none works (kEnvironment).
Result<LauncherChoice> choose_launcher(const ProfileRequest& request, const ExecutableFile& program,
                                       const LaunchPlan& plan);

}  // namespace scalediag::launch
