#include "collector/launch/program/launcher_trial.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "collector/launch/process/command_output.h"
#include "collector/launch/process/status_text.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

using core::LauncherTrial;

constexpr int kTrialRanks = 2;

// Words of launchers and libraries that say why ranks do not start, in plain words.
constexpr std::array<std::pair<const char*, const char*>, 4> kKnownCauses = {{
    {"not built with SLURM's PMI support", "Open MPI was built without support for this kind of PMI"},
    {"More processors requested than permitted", "the allocation has too few CPUs for two ranks"},
    {"Requested node configuration is not available", "the allocation has no nodes for two ranks"},
    {"launch failed", "Slurm could not launch the ranks with this kind of PMI"},
}};

// The first line that is more than a frame or a warning.
std::string first_complaint(const std::string& output) {
  constexpr size_t kLongest = 160;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of("-=* \t\r") == line.npos || line.find("Warning") != line.npos) continue;
    return line.size() > kLongest ? line.substr(0, kLongest) + "..." : line;
  }
  return "";
}

// The launcher with its folder left out and without the words that every start has.
std::string short_name_of(const std::string& launcher) {
  auto words = core::split_shell_words(launcher);
  if (!words || words.value().empty()) return launcher;
  std::string name = std::filesystem::path(words.value()[0]).filename().string();
  for (const std::string& word : words.value()) {
    if (word.starts_with("--mpi=")) name += " " + word;
  }
  return name;
}

Error no_launcher_works(const std::vector<LauncherTrial>& tried, const MpiUse& mpi) {
  std::vector<std::string> each;
  for (const LauncherTrial& trial : tried) each.push_back(short_name_of(trial.launcher) + ": " + trial.fault);
  return {ErrorCode::kEnvironment,
          "no launcher starts two ranks of the program in one MPI_COMM_WORLD: " + core::join(each, "; "),
          std::string("load the module of the MPI that the program was built with, or name the command that starts it "
                      "here: --launcher 'srun --mpi=KIND -n {np} {command}', or ") +
              (mpi.flavour == MpiFlavour::kMpich ? "'mpiexec -n {np} {command}'" : "'mpirun -n {np} {command}'")};
}

}  // namespace

std::string world_fault(const std::string& output, int exit_status) {
  std::set<int> ranks, sizes;
  int n = 0;
  const std::string word = "scalediag-world ";
  for (size_t at = output.find(word); at != output.npos; at = output.find(word, at + word.size())) {
    int rank = 0, size = 0;
    if (std::sscanf(output.c_str() + at + word.size(), "%d %d", &rank, &size) != 2) continue;
    ranks.insert(rank);
    sizes.insert(size);
    ++n;
  }
  const bool all_alone = n > 0 && sizes == std::set{1};
  if (all_alone) return "each rank was alone in an MPI_COMM_WORLD of its own";
  const bool whole =
      n == kTrialRanks && static_cast<int>(ranks.size()) == kTrialRanks && sizes == std::set{kTrialRanks};
  if (whole && exit_status == 0) return "";
  for (const auto& [sought, cause] : kKnownCauses) {
    if (output.find(sought) != output.npos) return cause;
  }
  if (n == 0 && exit_status == 0) return "the ranks ended without MPI_Init";
  const std::string complaint = first_complaint(output);
  return "exit status " + describe_status(exit_status) + (complaint.empty() ? "" : ": " + complaint);
}

Result<std::string> try_launcher(const Launcher& launcher, int cores, const std::vector<std::string>& command,
                                 const TrialSettings& settings) {
  const core::ScratchFolder scratch("launcher");
  if (scratch.path().empty()) {
    return Error{ErrorCode::kEnvironment, "cannot create a temporary folder",
                 "set TMPDIR to a folder that can be written"};
  }
  std::vector<std::string> rank = {settings.shim, "--library", settings.collector, "--probe", "world", "--"};
  rank.insert(rank.end(), command.begin(), command.end());
  const std::string output = scratch.file("output");
  const auto tried = try_command(launch_command(launcher, kTrialRanks, cores, rank), {}, output, settings.time_limit_s,
                                 [] { return false; });
  if (!tried) return tried.error();
  // The ranks are ended: the signal does what it would have done.
  if (tried.value().signal != 0) raise(tried.value().signal);
  if (tried.value().until == Tried::Until::kTimeLimit) {
    return "it did not end within " + core::to_text(settings.time_limit_s) + " s";
  }
  const auto text = TRY(core::read_file(output));
  return world_fault(text, tried.value().exit_status);
}

Result<LauncherTrials> choose_by_trial(const MpiUse& mpi, const LaunchSurroundings& surroundings,
                                       const std::vector<std::string>& command, const TrialSettings& settings,
                                       const std::vector<LauncherTrial>& before) {
  const std::vector<Launcher> candidates = launcher_candidates(mpi, surroundings);
  if (candidates.empty()) return no_launcher_found(mpi);
  if (surroundings.manager.empty()) return LauncherTrials{candidates.front(), {}};
  LauncherTrials trials;
  const int n_nodes = surroundings.placement.nodes > 1 ? kTrialRanks : 1;
  for (const Launcher& candidate : candidates) {
    const std::string text = template_of(candidate);
    const auto known = std::ranges::find_if(
        before, [&](const LauncherTrial& trial) { return trial.fault.empty() && trial.launcher == text; });
    if (known != before.end()) return LauncherTrials{candidate, before};
  }
  LaunchSurroundings apart = surroundings;
  apart.placement.nodes_of = {{kTrialRanks, n_nodes}};
  apart.placement.is_asked = apart.placement.is_asked || n_nodes > 1;
  const std::vector<Launcher> tried_as = launcher_candidates(mpi, apart);
  for (size_t i = 0; i < candidates.size() && i < tried_as.size(); ++i) {
    const auto fault = TRY(try_launcher(tried_as[i], surroundings.cores, command, settings));
    trials.tried.push_back({template_of(candidates[i]), fault});
    if (!fault.empty()) continue;
    trials.launcher = candidates[i];
    return trials;
  }
  return no_launcher_works(trials.tried, mpi);
}

std::string trials_text(const std::vector<LauncherTrial>& tried) {
  if (tried.size() < 2) return "";
  std::vector<std::string> others;
  for (size_t i = 1; i + 1 < tried.size(); ++i) others.push_back(short_name_of(tried[i].launcher));
  return short_name_of(tried.back().launcher) + " starts the ranks, since " + short_name_of(tried.front().launcher) +
         " does not: " + tried.front().fault + (others.empty() ? "" : "; nor does " + core::join(others, ", "));
}

}  // namespace scalediag::launch
