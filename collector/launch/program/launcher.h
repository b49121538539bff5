// The start of ranks: the launcher that belongs to an MPI, and its options for this machine.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/program/mpi_detection.h"
#include "collector/launch/program/placement.h"
#include "core/result.h"

namespace scalediag::launch {

// The facts that decide a launcher's options; a value, so that tests can vary it.
struct LaunchSurroundings {
  bool is_root = false;
  int cores = 1;  // that this process may use
  // The resource manager in whose allocation this process is: "slurm", "flux", "lsf", "pbs"; empty: none.
  std::string manager = "";
  std::string host_file = "";  // the file with the allocation's hosts, where the manager names one
  Placement placement = {};
  // The site binds Open MPI's ranks by variables of its own.
  bool binds_ranks = false;
};
LaunchSurroundings current_surroundings(int cores);

// A resource manager: how an allocation of it is recognised, and how it starts ranks. A row each in launcher.cpp; where
// several would do, the first one is taken.
struct ResourceManager {
  const char* name;
  const char* variable;   // of the environment: set inside an allocation
  const char* host_file;  // another one, which names a file with its hosts; empty: there is none
  const char* program;    // its own launcher; empty, or not in PATH: the MPI's, told the host file
  std::vector<std::string> arguments;
  std::vector<std::string> crowded;    // as in Launcher
  std::vector<std::string> placement;  // in front of the arguments where the number of nodes is known
};
const std::vector<ResourceManager>& resource_managers();

// A launcher's command line with the words "{np}" and "{command}" in place, and with "{nodes}" and "{ranks_per_node}"
// where they are to be as `placement` has them. Ranks are started the same way at every
// scale; `crowded` has only the options without which the launcher would refuse more ranks than cores, and is inserted
// after the first word for these.
struct Launcher {
  std::vector<std::string> words;
  // The name that words[0] is started with (argv[0]); empty: words[0] itself. Open MPI's launcher, started by its path,
  // puts its own folder first in the PATH of the ranks and its library folder first in their LD_LIBRARY_PATH. Where it
  // is found in PATH it is started by its name, as a user's shell does, so that the ranks get the environment that they
  // would have without us.
  std::string called;
  std::vector<std::string> crowded;
  MpiFlavour flavour = MpiFlavour::kUnknown;
  Placement placement = {};
};

// The launchers that may start ranks of this MPI, the likeliest first: inside an allocation the resource manager's, if
// it has one; then the one beside the library's own installation, else Debian's mpirun.openmpi / mpirun.mpich, else the
// mpirun or mpiexec in PATH whose --version is of this MPI; then Slurm's with each kind of PMI that it has (`srun
// --mpi=list`), unless SLURM_MPI_TYPE says which. Empty: none is found.
std::vector<Launcher> launcher_candidates(const MpiUse& mpi, const LaunchSurroundings& surroundings);

// The kinds of PMI in what `srun --mpi=list` prints, those that programs of this MPI use first. "none", and versions of
// a kind that is there itself, are left out.
std::vector<std::string> parse_pmi_kinds(const std::string& text, MpiFlavour flavour);

// The error (kEnvironment) where there is no candidate.
Error no_launcher_found(const MpiUse& mpi);

// The user's text after --launcher; "{command}" is appended where it is missing. Errors: an open quote, an empty
// template, no {np} (kUsage); its program is not found (kEnvironment).
Result<Launcher> parse_launcher(const std::string& text);

// A launcher in a template that shows its MPI: mpirun, mpiexec and similar programs.
struct NamedLauncher {
  std::string path;
  MpiFlavour flavour = MpiFlavour::kUnknown;
};
// The launchers in the words before {command}, and in the shell text inside a word (sh -c 'mpirun ... {command}'). Each
// is asked for its --version; other programs are not started. Launchers of an unknown MPI are left out.
std::vector<NamedLauncher> launchers_named_in(const Launcher& launcher);

// The answer of the launcher's program to --version; empty: it is not an MPI's, or its MPI is not known.
std::string version_text(const Launcher& launcher);

// The template as one line, for experiment.json.
std::string template_of(const Launcher& launcher);

// The whole command line for `np` ranks, to be started as the program launcher.words[0]. A word that is exactly
// "{command}" becomes the words of `command`; inside a longer word (sh -c "... {command}") it becomes one shell-quoted
// string.
std::vector<std::string> launch_command(const Launcher& launcher, int np, int cores,
                                        const std::vector<std::string>& command);

// The MPIs whose launcher is installed, for applications that cannot be inspected.
std::vector<MpiFlavour> installed_flavours();

}  // namespace scalediag::launch
