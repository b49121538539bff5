// How ranks are started: the launcher that belongs to an MPI, and what it needs here.
#pragma once

#include <string>
#include <vector>

#include "cli/mpi_detection.h"
#include "core/result.h"

namespace scalediag::cli {

// What decides about a launcher's options; a value, so that tests can vary it.
struct LaunchSurroundings {
  bool is_root = false;
  int cores = 1;          // that this process may use
  bool in_slurm = false;  // inside an allocation, SLURM_JOB_ID
};
LaunchSurroundings current_surroundings(int cores);

// A launcher's command line with the words "{np}" and "{command}" in place. Ranks are started the same way at every
// scale; only what the launcher refuses otherwise is in `crowded`, inserted after the first word when there are more
// ranks than cores.
struct Launcher {
  std::vector<std::string> words;
  // The name that words[0] is started with (argv[0]); empty: words[0] itself. Open MPI's launcher, started by its path,
  // puts its own folder first in the PATH of the ranks and its library folder first in their LD_LIBRARY_PATH. Where it
  // is found in PATH it is started by its name, as a user's shell does, so that the ranks get the environment that they
  // would have without us.
  std::string called;
  std::vector<std::string> crowded;
  MpiFlavour flavour = MpiFlavour::kUnknown;
};

// The launcher of this MPI: srun inside a Slurm allocation, else the one beside the library's own installation, else
// Debian's mpirun.openmpi / mpirun.mpich, else the mpirun or mpiexec in PATH whose --version is of this MPI.
// Error (kEnvironment): none is found.
core::Result<Launcher> find_launcher(const MpiUse& mpi, const LaunchSurroundings& surroundings);

// What the user wrote after --launcher; "{command}" is appended where it is missing.
// Errors: an open quote, an empty template, no {np} (kUsage); its program is not found (kEnvironment).
core::Result<Launcher> parse_launcher(const std::string& text);

// A launcher that a template names and that tells of its MPI: mpirun, mpiexec and their kind.
struct NamedLauncher {
  std::string path;
  MpiFlavour flavour = MpiFlavour::kUnknown;
};
// Looked for in the words before {command}, and in the shell text inside a word (sh -c 'mpirun ... {command}'). Each is
// asked for its --version; other programs are not started. Those of an MPI that is not known are left out.
std::vector<NamedLauncher> launchers_named_in(const Launcher& launcher);

// The template as one line, as experiment.json keeps it.
std::string template_of(const Launcher& launcher);

// The whole command line for `np` ranks, to be started as the program launcher.words[0]. A word that is exactly
// "{command}" becomes the words of `command`; inside a longer word (sh -c "... {command}") it becomes one shell-quoted
// string.
std::vector<std::string> launch_command(const Launcher& launcher, int np, int cores,
                                        const std::vector<std::string>& command);

// The MPIs whose launcher is installed, for applications that cannot be inspected.
std::vector<MpiFlavour> installed_flavours();

}  // namespace scalediag::cli
