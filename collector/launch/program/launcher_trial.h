// The trial of a launcher: it starts the program as two ranks up to MPI_Init, which shows whether they are in one
// MPI_COMM_WORLD. An allocation may have several launchers, some of which start nothing, or each rank alone: Slurm's
// srun needs an MPI that was built with one of its kinds of PMI.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/program/launcher.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

struct LauncherTrials {
  Launcher launcher;                       // the first that makes one MPI_COMM_WORLD
  std::vector<core::LauncherTrial> tried;  // with it, in the order in which they were tried; empty: none had to be
};

struct TrialSettings {
  std::string shim, collector;  // as of find_installation()
  double time_limit_s = 60;     // of one trial
};

// The outcome of a trial by what the ranks and the launcher printed; empty: both ranks were in one world.
std::string world_fault(const std::string& output, int exit_status);

// Starts `command` once with this launcher. The outcome as of world_fault(). Errors (kEnvironment): no temporary
// folder, or the launcher cannot be started.
Result<std::string> try_launcher(const Launcher& launcher, int cores, const std::vector<std::string>& command,
                                 const TrialSettings& settings);

// The launcher that starts `command`. The two ranks are on two nodes where the allocation has them: a kind of PMI may
// work inside a node only. Outside of an allocation, and where `before` has tried a launcher of the same words, nothing
// is tried. What the program does before MPI_Init it does once more in each rank of a trial. Errors (kEnvironment):
// there is no launcher, none makes one MPI_COMM_WORLD (with what each of them said).
Result<LauncherTrials> choose_by_trial(const MpiUse& mpi, const LaunchSurroundings& surroundings,
                                       const std::vector<std::string>& command, const TrialSettings& settings,
                                       const std::vector<core::LauncherTrial>& before);

// One sentence: "srun failed (...), so that mpirun starts the ranks"; empty: the first one that was tried was taken.
std::string trials_text(const std::vector<core::LauncherTrial>& tried);

}  // namespace scalediag::launch
