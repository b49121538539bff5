#include "collector/launch/plan/launcher_choice.h"

#include <algorithm>
#include <utility>

#include "collector/launch/host/installation.h"
#include "collector/launch/program/launcher_trial.h"
#include "collector/launch/program/mpi_probe.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

Error launcher_usage(const std::string& message, const std::string& hint, const std::string& option) {
  return {ErrorCode::kUsage, message, hint, option};
}

// The MPI of a program that does not show it. A program that is tried tells it best: a script or an interpreter may
// start what belongs to an MPI that is not the only one, or not the first one, on this machine.
Result<MpiUse> find_out_mpi(const ExecutableFile& program, const std::vector<std::string>& command,
                            std::vector<std::string>& notes) {
  auto installation = TRY(find_installation());
  std::vector<std::string> started = command;
  started[0] = program.path;
  const auto probed = probe_mpi(started, {installation.library});
  if (probed) {
    notes.push_back("the program was tried as one process up to MPI_Init: it uses " +
                    (probed.value().is_standard_abi ? "the MPI 5 standard's binary interface of " : std::string()) +
                    title_of(probed.value().flavour) + " (" + probed.value().library + ")");
    return probed;
  }
  const auto installed = installed_flavours();
  if (!program.is_script || installed.size() != 1 || probed.error().code != ErrorCode::kInput) return probed;
  notes.push_back(probed.error().message + "; " + title_of(installed[0]) + " is taken, the only MPI that is installed");
  return MpiUse{installed[0], ""};
}

// The MPI of --mpi, unless the program shows another one: under another MPI's launcher every rank would believe itself
// to be alone.
Result<MpiUse> use_named_mpi(const ProfileRequest& request, const ExecutableFile& program) {
  const auto flavour = TRY(parse_flavour(request.mpi));
  MpiUse use{flavour, ""};
  if (program.is_script) return use;
  const auto detected = detect_mpi(program);
  if (!detected || detected.value().library.empty()) return use;  // the user's choice is taken
  if (detected.value().is_standard_abi) return MpiUse{use.flavour, detected.value().library, true};
  if (detected.value().flavour != use.flavour) {
    return Error{ErrorCode::kUsage,
                 program.path + " uses " + title_of(detected.value().flavour) + ", not " + title_of(use.flavour),
                 "leave out --mpi " + request.mpi, program.path};
  }
  return detected.value();
}

// `command` is that of one of the configurations.
Result<MpiUse> choose_mpi(const ProfileRequest& request, const ExecutableFile& program,
                          const std::vector<std::string>& command, std::vector<std::string>& notes) {
  if (!request.mpi.empty()) return use_named_mpi(request, program);
  Result<MpiUse> use = program.is_script ? MpiUse{} : detect_mpi(program);
  if (use && use.value().flavour == MpiFlavour::kUnknown) use = find_out_mpi(program, command, notes);
  if (use && use.value().flavour == MpiFlavour::kUnknown) {
    return Error{ErrorCode::kInput,
                 program.path + " uses " + use.value().library +
                     ", which does not say whose it is, so that its launcher "
                     "is not known",
                 "say whose launcher starts it: --mpi openmpi or --mpi mpich, or name it: --launcher "
                 "'mpirun -n {np} {command}'",
                 use.value().library};
  }
  return use;
}

// Refuses a launcher of another MPI. A run would show it only as ranks that are each alone, or that cannot write one
// file of the same name.
Status check_launcher(const Launcher& launcher, const ProfileRequest& request, const ExecutableFile& program,
                      const MpiUse& mpi) {
  const MpiFlavour flavour = mpi.flavour;
  if (flavour == MpiFlavour::kUnknown) return Done{};
  for (const NamedLauncher& named : launchers_named_in(launcher)) {
    if (named.flavour == flavour) continue;
    const std::string says =
        mpi.library.empty() ? "--mpi says that " + program.path + " uses " : program.path + " uses ";
    return Error{ErrorCode::kUsage,
                 "--launcher: " + named.path + " starts programs of " + title_of(named.flavour) + ", but " + says +
                     title_of(flavour),
                 "leave out --launcher " + core::quote_shell_word(request.launcher) + " and " + title_of(flavour) +
                     "'s own is taken, or name that one",
                 "--launcher"};
  }
  return Done{};
}

// The trials of an experiment that goes on. Those inside one node say nothing of several.
std::vector<core::LauncherTrial> earlier_trials(const std::string& folder, bool fresh, const Placement& placement) {
  if (fresh) return {};
  const auto held = core::ExperimentFolder(folder).load();
  if (!held) return {};
  const std::map<int, int>& nodes = held.value().nodes;
  const bool only_one =
      !nodes.empty() && std::ranges::all_of(nodes, [](const auto& np_and_nodes) { return np_and_nodes.second == 1; });
  if (only_one && placement.nodes > 1) return {};
  return held.value().launcher_trials;
}

// Our own choice, tried inside an allocation.
Status find_own_launcher(const ProfileRequest& request, const ExecutableFile& program, const LaunchPlan& plan,
                         const LaunchSurroundings& surroundings, LauncherChoice& choice) {
  const std::vector<std::string>& command = plan.configurations.front().command;
  choice.mpi = TRY(choose_mpi(request, program, command, choice.notes));
  const auto installation = TRY(find_installation());
  auto trials = TRY(choose_by_trial(choice.mpi, surroundings, command, {installation.shim, installation.library},
                                    earlier_trials(plan.folder, request.fresh, surroundings.placement)));
  choice.tried = std::move(trials.tried);
  if (const std::string text = trials_text(choice.tried); !text.empty()) choice.notes.push_back(text);
  choice.launcher = std::move(trials.launcher);
  return Done{};
}

bool has_nodes_in_place(const std::string& launcher) {
  return launcher.find("{nodes}") != launcher.npos || launcher.find("{ranks_per_node}") != launcher.npos;
}

// The one that is named on the command line, or by an experiment that goes on.
Status take_named_launcher(const ProfileRequest& request, const ExecutableFile& program,
                           const LaunchSurroundings& surroundings, LauncherChoice& choice) {
  if (!request.mpi.empty()) {
    choice.mpi = TRY(use_named_mpi(request, program));
  } else if (!program.is_script) {
    // The user's choice is taken, so that a failed detection is no error.
    if (auto detected = detect_mpi(program)) choice.mpi = std::move(detected).value();
  }
  auto launcher = TRY(parse_launcher(request.launcher));
  TRY(check_launcher(launcher, request, program, choice.mpi));
  choice.launcher = std::move(launcher);
  choice.launcher.placement = surroundings.placement;
  return Done{};
}

}  // namespace

std::vector<int> process_counts_of(const std::vector<PlannedConfiguration>& configurations) {
  std::vector<int> counts;
  for (const PlannedConfiguration& plan : configurations) {
    const int np = plan.configuration.np;
    if (std::ranges::find(counts, np) == counts.end()) counts.push_back(np);
  }
  return counts;
}

Result<LauncherChoice> choose_launcher(const ProfileRequest& request, const ExecutableFile& program,
                                       const LaunchPlan& plan) {
  LaunchSurroundings surroundings = current_surroundings(plan.cores);
  Placement& placement = surroundings.placement;
  const std::vector<int> counts = process_counts_of(plan.configurations);
  TRY(ask_for_placement(request.nodes, request.ranks_per_node, counts, placement));
  const bool in_place = has_nodes_in_place(request.launcher);
  if (placement.is_asked && (request.launcher.empty() ? surroundings.manager.empty() : !in_place)) {
    const std::string option = request.nodes.empty() ? "--ranks-per-node" : "--nodes";
    return launcher_usage(
        option + (request.launcher.empty() ? ": this is no allocation of a resource manager, whose nodes could be used"
                                           : ": --launcher does not say where the number of nodes goes"),
        request.launcher.empty()
            ? "run it inside one (salloc, sbatch), submit it (--submit), or name a launcher: --launcher 'srun "
              "-N {nodes} -n {np} {command}'"
            : "put {nodes} or {ranks_per_node} into it: --launcher 'srun -N {nodes} -n {np} {command}'",
        option);
  }
  if (in_place && placement.nodes_for(counts.front()) == 0) {
    return launcher_usage("--launcher '" + request.launcher + "' needs the number of nodes, which is not known here",
                          "give --nodes LIST or --ranks-per-node R", "--launcher");
  }
  LauncherChoice choice;
  TRY(request.launcher.empty() ? find_own_launcher(request, program, plan, surroundings, choice)
                               : take_named_launcher(request, program, surroundings, choice));
  if (!has_nodes_in_place(template_of(choice.launcher))) return choice;
  choice.ranks_per_node = placement.ranks_per_node;
  for (const int np : counts) choice.nodes[np] = std::max(1, placement.nodes_for(np));
  return choice;
}

}  // namespace scalediag::launch
