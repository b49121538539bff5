#include "collector/launch/program/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "collector/launch/process/command_output.h"
#include "collector/launch/program/executable_file.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

std::string printed_version(const std::string& path) {
  const auto version = run_and_capture({path, "--version"});
  return version ? version.value().text : "";
}

// mpirun of 4.x and 5.x prints "Open MPI", Debian's mpirun.openmpi prints "OpenRTE".
MpiFlavour flavour_of_printed(const std::string& text) {
  if (text.find("Open MPI") != text.npos || text.find("OpenRTE") != text.npos) return MpiFlavour::kOpenMpi;
  if (text.find("HYDRA") != text.npos || text.find("Intel(R) MPI") != text.npos) return MpiFlavour::kMpich;
  return MpiFlavour::kUnknown;
}

MpiFlavour flavour_of_launcher(const std::string& path) { return flavour_of_printed(printed_version(path)); }

bool is_launcher_name(const std::string& name) {
  for (const char* begin : {"mpirun", "mpiexec", "orterun", "prterun"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

std::vector<std::string> launcher_names(MpiFlavour flavour) {
  if (flavour == MpiFlavour::kOpenMpi) return {"mpirun.openmpi", "mpirun", "mpiexec"};
  return {"mpirun.mpich", "mpiexec.hydra", "mpirun", "mpiexec"};
}

// An MPI under its own prefix (/opt/openmpi/lib/libmpi.so) has its launcher in the prefix's bin.
std::string launcher_beside(const std::string& library, MpiFlavour flavour) {
  if (library.empty()) return "";
  std::error_code ignored;
  for (const fs::path& file : {fs::path(library), fs::canonical(library, ignored)}) {
    // lib/libmpi.so and lib/x86_64-linux-gnu/libmpi.so, lib/release/libmpi.so
    for (const fs::path& prefix : {file.parent_path().parent_path(), file.parent_path().parent_path().parent_path()}) {
      // /usr and /usr/local hold launchers of several MPIs, among which PATH shows the user's choice.
      if (prefix.empty() || prefix == "/" || prefix == "/usr" || prefix == "/usr/local") continue;
      for (const std::string& name : launcher_names(flavour)) {
        const std::string candidate = (prefix / "bin" / name).string();
        if (is_executable_file(candidate) && flavour_of_launcher(candidate) == flavour) return candidate;
      }
    }
  }
  return "";
}

std::string launcher_in_path(MpiFlavour flavour) {
  for (const std::string& name : launcher_names(flavour)) {
    const std::string candidate = find_in_path(name);
    if (!candidate.empty() && flavour_of_launcher(candidate) == flavour) return candidate;
  }
  return "";
}

const ResourceManager* manager_called(const std::string& name) {
  for (const ResourceManager& manager : resource_managers()) {
    if (name == manager.name) return &manager;
  }
  return nullptr;
}

Launcher managers_launcher(const ResourceManager& manager, const std::string& program, MpiFlavour flavour,
                           const LaunchSurroundings& surroundings) {
  Launcher launcher{{program}, "", manager.crowded, flavour, surroundings.placement};
  const bool places = surroundings.placement.nodes > 0 || surroundings.placement.is_asked;
  if (places) launcher.words.insert(launcher.words.end(), manager.placement.begin(), manager.placement.end());
  launcher.words.insert(launcher.words.end(), manager.arguments.begin(), manager.arguments.end());
  return launcher;
}

// srun takes the kind of PMI from SLURM_MPI_TYPE, where a site or a user has set that, or from the site's MpiDefault.
std::vector<Launcher> with_pmi_kinds(const Launcher& srun) {
  std::vector<Launcher> launchers;
  if (const char* kind = std::getenv("SLURM_MPI_TYPE"); kind != nullptr && *kind != '\0') return launchers;
  const auto listed = run_and_capture({srun.words[0], "--mpi=list"});
  if (!listed) return launchers;
  for (const std::string& kind : parse_pmi_kinds(listed.value().text, srun.flavour)) {
    launchers.push_back(srun);
    launchers.back().words.insert(launchers.back().words.begin() + 1, "--mpi=" + kind);
  }
  return launchers;
}

Launcher mpirun_launcher(MpiFlavour flavour, const std::string& path, const LaunchSurroundings& surroundings) {
  Launcher launcher;
  launcher.words = {path};
  launcher.flavour = flavour;
  launcher.placement = surroundings.placement;
  if (flavour == MpiFlavour::kOpenMpi) {
    const std::string name = fs::path(path).filename().string();
    if (find_in_path(name) == path) launcher.called = name;
    if (surroundings.is_root) launcher.words.push_back("--allow-run-as-root");
    // By default Open MPI binds two ranks to a core each, more of them to a socket and those that share cores to
    // nothing, so that the threads of a rank would have one core at one scale and all of them at another. Its slots are
    // cores, of which a CPU with several threads has fewer than we count.
    launcher.words.emplace_back("--oversubscribe");
    if (!surroundings.binds_ranks) launcher.words.insert(launcher.words.end(), {"--bind-to", "none"});
  }
  // By itself it fills nodes as the allocation has them.
  if (surroundings.placement.is_asked && flavour == MpiFlavour::kOpenMpi) {
    launcher.words.insert(launcher.words.end(), {"--map-by", "ppr:{ranks_per_node}:node"});
  } else if (surroundings.placement.is_asked) {
    launcher.words.insert(launcher.words.end(), {"-ppn", "{ranks_per_node}"});
  }
  if (!surroundings.host_file.empty()) {
    launcher.words.insert(launcher.words.end(),
                          {flavour == MpiFlavour::kOpenMpi ? "--hostfile" : "-f", surroundings.host_file});
  }
  launcher.words.insert(launcher.words.end(), {"-n", "{np}", "{command}"});
  return launcher;
}

// A node takes the tasks that were asked for, or else as many as it has CPUs for.
Placement placement_of_slurm() {
  const auto number = [](const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr ? first_of_node_list(text) : 0;
  };
  Placement placement;
  placement.nodes = number("SLURM_JOB_NUM_NODES");
  placement.ranks_per_node = number("SLURM_NTASKS_PER_NODE");
  if (placement.ranks_per_node == 0 && std::getenv("SLURM_NTASKS") != nullptr) {
    placement.ranks_per_node = number("SLURM_TASKS_PER_NODE");
  }
  if (placement.ranks_per_node == 0) {
    placement.ranks_per_node =
        std::max(1, number("SLURM_JOB_CPUS_PER_NODE") / std::max(1, number("SLURM_CPUS_PER_TASK")));
  }
  return placement;
}

std::string replace_all(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

}  // namespace

// Flux may run inside an allocation of another one, and is then the one that starts ranks.
const std::vector<ResourceManager>& resource_managers() {
  static const std::vector<ResourceManager> managers = {
      {"flux", "FLUX_URI", "", "flux", {"run", "-n", "{np}", "{command}"}, {}, {}},
      {"slurm", "SLURM_JOB_ID", "", "srun", {"-n", "{np}", "{command}"}, {"--overcommit"}, {"-N", "{nodes}"}},
      // A resource set a rank, of one core.
      {"lsf", "LSB_JOBID", "LSB_DJOB_HOSTFILE", "jsrun", {"-n", "{np}", "-a", "1", "-c", "1", "{command}"}, {}, {}},
      {"pbs", "PBS_JOBID", "PBS_NODEFILE", "", {}, {}, {}},
  };
  return managers;
}

LaunchSurroundings current_surroundings(int cores) {
  LaunchSurroundings surroundings;
  surroundings.is_root = geteuid() == 0;
  surroundings.cores = cores;
  for (const ResourceManager& manager : resource_managers()) {
    if (std::getenv(manager.variable) == nullptr) continue;
    surroundings.manager = manager.name;
    const char* const hosts = *manager.host_file != '\0' ? std::getenv(manager.host_file) : nullptr;
    if (hosts != nullptr) surroundings.host_file = hosts;
    break;
  }
  if (surroundings.manager == "slurm") surroundings.placement = placement_of_slurm();
  for (const char* name : {"OMPI_MCA_hwloc_base_binding_policy", "PRTE_MCA_hwloc_default_binding_policy"}) {
    if (std::getenv(name) != nullptr) surroundings.binds_ranks = true;
  }
  return surroundings;
}

std::vector<std::string> parse_pmi_kinds(const std::string& text, MpiFlavour flavour) {
  std::vector<std::string> kinds;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("srun: ")) line.erase(0, 6);  // as older versions print it
    std::istringstream words(line);
    std::string kind, more;
    words >> kind;
    const bool is_word = std::ranges::all_of(kind, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (kind.empty() || !is_word || words >> more || kind == "none") continue;
    kinds.push_back(kind);
  }
  const auto is_version = [&](const std::string& kind) {
    return kind.starts_with("pmix_") && std::ranges::find(kinds, "pmix") != kinds.end();
  };
  std::erase_if(kinds, is_version);
  const std::string first = flavour == MpiFlavour::kOpenMpi ? "pmix" : "pmi2";
  std::ranges::stable_partition(kinds, [&](const std::string& kind) { return kind == first; });
  return kinds;
}

std::vector<Launcher> launcher_candidates(const MpiUse& mpi, const LaunchSurroundings& surroundings) {
  std::vector<Launcher> candidates, kinds;
  if (const ResourceManager* manager = manager_called(surroundings.manager);
      manager != nullptr && *manager->program != '\0') {
    const std::string program = find_in_path(manager->program);
    if (!program.empty()) {
      candidates = {managers_launcher(*manager, program, mpi.flavour, surroundings)};
      if (surroundings.manager == "slurm") kinds = with_pmi_kinds(candidates.front());
    }
  }
  std::string path = launcher_beside(mpi.library, mpi.flavour);
  if (path.empty()) path = launcher_in_path(mpi.flavour);
  if (!path.empty()) candidates.push_back(mpirun_launcher(mpi.flavour, path, surroundings));
  // They are last: one that works inside a node only would be taken by a job of one node, and not by those of several,
  // whose runs are to be compared with it.
  candidates.insert(candidates.end(), kinds.begin(), kinds.end());
  return candidates;
}

Error no_launcher_found(const MpiUse& mpi) {
  return {ErrorCode::kEnvironment, std::string("no launcher of ") + title_of(mpi.flavour) + " is found in PATH",
          std::string("apt-get install ") + package_of(mpi.flavour) +
              ", or name it: --launcher 'mpirun -n {np} {command}', or 'srun -n {np} {command}'",
          "PATH"};
}

Result<Launcher> parse_launcher(const std::string& text) {
  auto words = TRY(core::split_shell_words(text));
  Launcher launcher;
  launcher.words = std::move(words);
  const std::string example = "as in --launcher 'mpirun -n {np} {command}'";
  if (launcher.words.empty()) return Error{ErrorCode::kUsage, "--launcher is empty", example, "--launcher"};
  if (text.find("{np}") == text.npos) {
    return Error{ErrorCode::kUsage, "--launcher '" + text + "' does not say where the number of ranks goes",
                 "put {np} into it, " + example, "--launcher"};
  }
  if (text.find("{command}") == text.npos) launcher.words.push_back("{command}");
  const std::string& program = launcher.words[0];
  const bool is_path = program.find('/') != program.npos;
  if (is_path ? is_executable_file(program) : !find_in_path(program).empty()) return launcher;
  std::error_code ignored;
  if (is_path && fs::is_directory(program, ignored)) {
    return Error{ErrorCode::kUsage, "the launcher " + program + " is a folder", "give the program inside it", program};
  }
  if (is_path && fs::exists(program, ignored)) {
    return Error{ErrorCode::kEnvironment, "the launcher " + program + " is not executable", "chmod +x " + program,
                 program};
  }
  return Error{ErrorCode::kEnvironment, "the launcher " + program + " is not found", "install it or give its path",
               program};
}

std::vector<NamedLauncher> launchers_named_in(const Launcher& launcher) {
  std::vector<NamedLauncher> named;
  for (const std::string& word : launcher.words) {
    if (word == "{command}") break;
    const auto inside = core::split_shell_words(word);
    for (const std::string& text : inside ? inside.value() : std::vector{word}) {
      if (text == "{command}") break;
      if (!is_launcher_name(fs::path(text).filename().string())) continue;
      const std::string path = text.find('/') != text.npos ? text : find_in_path(text);
      if (!is_executable_file(path)) continue;
      if (const MpiFlavour flavour = flavour_of_launcher(path); flavour != MpiFlavour::kUnknown) {
        named.push_back({path, flavour});
      }
    }
  }
  return named;
}

std::string version_text(const Launcher& launcher) {
  const std::string text = printed_version(launcher.words[0]);
  return flavour_of_printed(text) == MpiFlavour::kUnknown ? "" : text;
}

std::string template_of(const Launcher& launcher) { return core::join_shell_words(launcher.words); }

std::vector<std::string> launch_command(const Launcher& launcher, int np, int cores,
                                        const std::vector<std::string>& command) {
  std::vector<std::string> result;
  for (size_t i = 0; i < launcher.words.size(); ++i) {
    const std::string& word = launcher.words[i];
    if (i == 0 && !launcher.called.empty()) {
      result.push_back(launcher.called);
    } else if (word == "{command}") {
      result.insert(result.end(), command.begin(), command.end());
    } else {
      std::string text = replace_all(word, "{np}", std::to_string(np));
      text = replace_all(text, "{nodes}", std::to_string(std::max(1, launcher.placement.nodes_for(np))));
      const int most = launcher.placement.ranks_per_node_for(np);
      text = replace_all(text, "{ranks_per_node}", std::to_string(most > 0 ? most : np));
      result.push_back(replace_all(text, "{command}", core::join_shell_words(command)));
    }
    if (i == 0 && np > cores) result.insert(result.end(), launcher.crowded.begin(), launcher.crowded.end());
  }
  return result;
}

std::vector<MpiFlavour> installed_flavours() {
  std::vector<MpiFlavour> installed;
  for (const MpiFlavour flavour : {MpiFlavour::kOpenMpi, MpiFlavour::kMpich}) {
    if (!launcher_in_path(flavour).empty()) installed.push_back(flavour);
  }
  return installed;
}

}  // namespace scalediag::launch
