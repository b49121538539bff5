#include "cli/inputs/replayed_targets.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/inputs/representatives_input.h"
#include "core/experiment/experiment.h"
#include "core/text/join.h"
#include "core/text/shell_words.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// The arguments after the program, with the number of processes in its place.
std::vector<std::string> arguments_of(const std::vector<std::string>& command, int np) {
  std::vector<std::string> arguments(command.begin() + (command.empty() ? 0 : 1), command.end());
  for (std::string& argument : arguments) {
    constexpr std::string_view kPlace = "{np}";
    for (size_t at; (at = argument.find(kPlace)) != std::string::npos;) {
      argument.replace(at, kPlace.size(), std::to_string(np));
    }
  }
  return arguments;
}

// Error (kInput): `recorded` is not the program that was profiled.
core::Status check_same_program(const core::Experiment& recorded, int np, const std::string& folder,
                                const core::Profile& profile) {
  const std::string program = file_name(recorded.executable);
  if (program != profile.application) {
    return Error{ErrorCode::kInput,
                 "what was replayed is " + program + ", and what is predicted " + profile.application,
                 "record and replay the same program", folder};
  }
  const auto theirs = arguments_of(recorded.command, np), ours = arguments_of(profile.command, np);
  if (theirs == ours) return core::Done{};
  return Error{ErrorCode::kInput,
               "what was replayed had other arguments (" + core::join_shell_words(theirs) +
                   ") than what is predicted (" + core::join_shell_words(ours) + ")",
               "record and replay the program with the arguments that were profiled", folder};
}

double sum_of(const loggp::ComputationVector& vector) { return std::accumulate(vector.begin(), vector.end(), 0.0); }

// What each of `np` ranks computes, in seconds.
Result<std::vector<double>> computations(const loggp::ReplayedRanks& replayed, int np, const std::string& input) {
  std::vector<double> of_rank(static_cast<size_t>(np), -1);
  for (const auto& [rank, vector] : replayed.vectors) {
    if (rank >= np) {
      return Error{ErrorCode::kInput,
                   "rank " + std::to_string(rank) + " was replayed of a run of " + std::to_string(np) + " ranks",
                   "remove " + replayed.folder + "/replay and replay again", replayed.folder};
    }
    of_rank[static_cast<size_t>(rank)] = sum_of(vector);
  }
  if (replayed.vectors.size() == of_rank.size()) return of_rank;
  const auto run = read_representatives({input, np, "", std::nullopt});
  if (!run) {
    Error error = run.error();
    error.message = "only " + std::to_string(replayed.vectors.size()) + " of " + std::to_string(np) +
                    " ranks were replayed, and traces do not tell which others they stand for: " + error.message;
    error.hint = "replay all ranks: `scalediag replay " + replayed.folder +
                 "`; or profile with --trace, and record with --representatives";
    return error;
  }
  for (const loggp::RepresentedRanks& set : run.value().representatives.sets) {
    double sum = 0;
    int known = 0;
    for (const int rank : set.ranks) {
      if (of_rank[static_cast<size_t>(rank)] < 0) continue;
      sum += of_rank[static_cast<size_t>(rank)];
      ++known;
    }
    if (known == 0) {
      return Error{ErrorCode::kInput,
                   "none of the ranks " + core::join(set.ranks, ",", [](int r) { return std::to_string(r); }) +
                       ", which communicate alike, was replayed",
                   "record and replay one of them, for example --ranks " + std::to_string(set.representative),
                   replayed.folder};
    }
    for (const int rank : set.ranks) {
      double& own = of_rank[static_cast<size_t>(rank)];
      if (own < 0) own = sum / known;
    }
  }
  return of_rank;
}

}  // namespace

Result<std::map<double, report::ReplayedComputation>> replayed_targets(
    const std::string& folder, const MeasurementInput& input, const fit::ApplicationModel& model,
    const std::vector<std::vector<double>>& targets) {
  if (!input.profile || model.data().parameter_names.size() > 1) {
    return Error{ErrorCode::kUsage,
                 "--replayed is for profiles of programs whose only parameter is the number of processes",
                 "leave --replayed out, or measure one problem size into a folder of its own", ""};
  }
  const auto recorded = core::ExperimentFolder(folder).load();
  if (!recorded) return recorded.error();
  if (recorded.value().runs.empty()) {
    return Error{ErrorCode::kInput, "no run was recorded there", "`scalediag record` records one", folder};
  }
  const int np = recorded.value().runs.front().configuration.np;
  if (const core::Status same = check_same_program(recorded.value(), np, folder, *input.profile); !same) {
    return same.error();
  }
  const auto target =
      std::find_if(targets.begin(), targets.end(), [np](const auto& at) { return fit::process_count(at) == np; });
  if (target == targets.end()) {
    return Error{
        ErrorCode::kUsage,
        "--replayed " + folder + " was recorded with " + std::to_string(np) + " processes, and no target has as many",
        "add --at np=" + std::to_string(np), ""};
  }
  const auto replayed = loggp::read_replayed_ranks(folder);
  if (!replayed) return replayed.error();
  const auto of_rank = computations(replayed.value(), np, input.path);
  if (!of_rank) return of_rank.error();
  report::ReplayedComputation computation;
  computation.folder = folder;
  computation.ranks = np;
  computation.replayed = static_cast<int>(replayed.value().vectors.size());
  computation.mean_s = std::accumulate(of_rank.value().begin(), of_rank.value().end(), 0.0) / np;
  computation.most_s = *std::max_element(of_rank.value().begin(), of_rank.value().end());
  computation.predicted_s = model.predict(*target).computation_s.value;
  return std::map<double, report::ReplayedComputation>{{np, computation}};
}

}  // namespace scalediag::cli
