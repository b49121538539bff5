#include "collector/launch/host/cluster_checks.h"

#include <cstdlib>

#include "collector/launch/batch/batch_system.h"
#include "collector/launch/host/built_program.h"
#include "collector/launch/host/installation.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/program/launcher.h"
#include "collector/launch/program/launcher_trial.h"
#include "collector/launch/program/mpi_detection.h"
#include "core/text/join.h"

namespace scalediag::launch {
namespace {

constexpr const char* kSubmit = "scalediag profile --submit 'OPTIONS' -n 2,4,8 -- ./app";

Finding failed_finding(const std::string& subject, const Error& error) {
  return {subject, Health::kFails, error.message, error.hint};
}

// Each MPI that scalediag has a program for, with the launcher that starts it here.
Finding tried_launchers(const std::vector<std::string>& found) {
  std::vector<std::string> working, failing;
  for (const MpiFlavour flavour : {MpiFlavour::kOpenMpi, MpiFlavour::kMpich}) {
    const auto built = find_built_program({"network_probe", "--probe"}, "", name_of(flavour), "");
    const std::string title = title_of(flavour);
    if (!built) {
      failing.push_back(title + ": " + built.error().message);
      continue;
    }
    const std::string why = trials_text(built.value().tried);
    working.push_back(title + ": " + (why.empty() ? template_of(built.value().launcher) : why));
  }
  const std::string text = core::join(working, "; ") + (working.empty() || failing.empty() ? "" : "; ") +
                           (failing.empty() ? "" : "not started are " + core::join(failing, "; "));
  if (working.empty()) {
    return {
        "launchers", Health::kFails, "none of " + core::join(found) + " starts ranks here: " + text,
        "load the module of your MPI, or name one: scalediag profile --launcher 'srun --mpi=KIND -n {np} {command}'"};
  }
  return {"launchers", Health::kWorks, text, ""};
}

}  // namespace

std::vector<Finding> node_finding() {
  const LaunchSurroundings surroundings = current_surroundings(1);
  if (!surroundings.manager.empty()) {
    const Placement& placement = surroundings.placement;
    const BatchSystem* const system = current_batch_system();
    std::string text = system != nullptr ? "inside job " + current_job() + " of " + system->name
                                         : "inside an allocation of " + surroundings.manager;
    if (placement.nodes > 0) {
      text += ": " + std::to_string(placement.nodes) + (placement.nodes == 1 ? " node" : " nodes") + " for " +
              std::to_string(placement.ranks_per_node) + " ranks each";
    }
    return {{"node", Health::kWorks, text, ""}};
  }
  const BatchSystem* batch = installed_batch_system();
  if (batch == nullptr) return {};
  return {{"node", Health::kWorks,
           std::string("a login node: ") + batch->submit[0] +
               " is here, and this is inside no job; what is below "
               "holds for this node, and the nodes of jobs may differ (run doctor in a job)",
           ""}};
}

Finding launchers_finding() {
  std::vector<std::string> found;
  const auto look_for = [&found](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (std::string path = find_in_path(name); !path.empty()) found.push_back(std::move(path));
    }
  };
  look_for({"mpirun.openmpi", "mpirun.mpich", "srun"});
  if (found.empty()) look_for({"mpirun", "mpiexec"});
  const bool inside = !current_surroundings(1).manager.empty();
  if (!found.empty() && inside) return tried_launchers(found);
  const bool is_login_node = !inside && installed_batch_system() != nullptr;
  if (is_login_node) {
    return {"launchers", Health::kWorks,
            (found.empty() ? "none in PATH" : core::join(found)) + ": jobs start ranks with what is in theirs",
            kSubmit};
  }
  if (!found.empty()) return {"launchers", Health::kWorks, core::join(found), ""};
  return {
      "launchers", Health::kFails, "no mpirun, mpiexec or srun is in PATH",
      "apt-get install openmpi-bin, or mpich; or name one: scalediag profile --launcher 'mpirun -n {np} {command}'"};
}

Finding program_finding(const std::string& program, const core::Host& host) {
  const auto file = inspect_executable(program);
  if (!file) return failed_finding("program", file.error());
  const Result<MpiUse> mpi = file.value().is_script ? MpiUse{} : detect_mpi(file.value());
  if (!mpi) return failed_finding("program", mpi.error());
  if (mpi.value().library.empty()) {
    return {"program", Health::kWorks,
            program + " is linked with no MPI library: profile tries it as one process, to see which one it loads", ""};
  }
  const std::string uses = std::string(title_of(mpi.value().flavour)) + " (" + mpi.value().library + ")";
  const LaunchSurroundings surroundings = current_surroundings(host.cores);
  const auto installation = find_installation();
  if (!installation) return failed_finding("program", installation.error());
  const auto trials = choose_by_trial(mpi.value(), surroundings, {file.value().path},
                                      {installation.value().shim, installation.value().library}, {});
  if (!trials && surroundings.manager.empty() && installed_batch_system() != nullptr) {
    return {"program", Health::kWorks, uses + "; its launcher is not here, on a login node", kSubmit};
  }
  if (!trials) return failed_finding("program", trials.error());
  const std::string why = trials_text(trials.value().tried);
  return {"program", Health::kWorks,
          uses + ", started by " + template_of(trials.value().launcher) + (why.empty() ? "" : ": " + why), ""};
}

}  // namespace scalediag::launch
