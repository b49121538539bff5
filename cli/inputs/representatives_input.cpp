#include "cli/inputs/representatives_input.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"
#include "loggp/representatives/communication_groups.h"

namespace scalediag::cli {
namespace {

// Groups of ranks, and what of each rank's computations is known, by rank.
struct GroupedRun {
  RepresentedRun run;
  loggp::RankGroups groups;
  std::vector<loggp::ComputationVector> vectors;
};

core::Result<GroupedRun> scaled_run(const RepresentativesSource& source) {
  const auto traces = read_scaled_traces(source.path, {}, source.np);
  if (!traces) return traces.error();
  if (auto same = check_replayed_program(source.path, source.path, source.np, source.computation); !same) {
    return same.error();
  }
  return GroupedRun{{traces.value().model().executable, true, {}},
                    loggp::communication_groups(traces.value()),
                    std::vector<loggp::ComputationVector>(static_cast<size_t>(source.np))};
}

core::Result<GroupedRun> recorded_run(const RepresentativesSource& source) {
  const auto folder = find_trace_folder(source.path, source.np, "");
  if (!folder) return folder.error();
  if (auto same = check_replayed_program(source.path, folder.value(), source.np, source.computation); !same) {
    return same.error();
  }
  const auto traces = loggp::read_traces(folder.value());
  if (!traces) return traces.error();
  const auto model = loggp::model_of_run(traces.value());
  if (!model) {
    core::Error error = model.error();
    error.message = folder.value() + ": " + error.message;
    error.where = folder.value();
    return error;
  }
  GroupedRun grouped{{model.value().executable, false, {}}, loggp::communication_groups(model.value()), {}};
  for (const loggp::RankTrace& trace : traces.value()) grouped.vectors.push_back(loggp::computations_of(trace));
  return grouped;
}

core::Result<GroupedRun> grouped_run(const RepresentativesSource& source) {
  return source.np != 0 && has_only_other_scales(source.path, source.np) ? scaled_run(source) : recorded_run(source);
}

}  // namespace

core::Result<std::vector<int>> read_stand_ins(const std::string& path, int np, const loggp::ReplayedRanks& replayed) {
  const auto grouped = grouped_run({path, np, "", std::nullopt});
  if (!grouped) return grouped.error();
  return loggp::replayed_for(grouped.value().groups, replayed, grouped.value().vectors);
}

core::Result<RepresentedRun> read_representatives(const RepresentativesSource& source) {
  const auto replayed = read_replayed(source.computation);
  if (!replayed) return replayed.error();
  auto grouped = grouped_run(source);
  if (!grouped) return grouped.error();
  auto& [run, groups, vectors] = grouped.value();
  if (!source.computation.empty()) {
    for (size_t rank = 0; rank < vectors.size(); ++rank) {
      const auto own = replayed.value().vectors.find(static_cast<int>(rank));
      vectors[rank] = own != replayed.value().vectors.end() ? own->second : loggp::ComputationVector{};
    }
  }
  run.representatives = loggp::representatives_of(groups, vectors, source.similarity);
  const auto& sets = run.representatives.sets;
  if (source.similarity &&
      std::none_of(sets.begin(), sets.end(), [](const auto& set) { return set.apart.has_value(); })) {
    return core::Error{
        core::ErrorCode::kInput,
        source.path + " does not hold the computations of ranks in their order, which --similarity needs",
        "record them with `scalediag profile --trace --series`, or replay all ranks of a group", source.path};
  }
  return std::move(run);
}

core::Status check_replayed_program(const std::string& name, const std::string& folder, int np,
                                    const std::string& computation) {
  const std::string replayed = replayed_folder(computation);
  const auto recorded = core::ExperimentFolder(replayed).load();
  const auto traced = program_of_traces(name, folder, np);
  if (replayed.empty() || !recorded || recorded.value().runs.empty() || !traced) return core::Done{};  // not known
  const auto compared =
      launch::compare_programs({replayed, recorded.value(), recorded.value().runs[0].configuration}, *traced);
  const std::string& other = compared.other_program.empty() ? compared.other_arguments : compared.other_program;
  if (!other.empty()) {
    return core::Error{core::ErrorCode::kInput, "what was replayed is not what was traced: " + other,
                       "record, replay and trace the program with the same arguments", replayed};
  }
  for (const std::string& doubt : compared.doubts) warn(doubt);
  return core::Done{};
}

std::string replayed_folder(const std::string& computation) {
  constexpr std::string_view kReplay = "replay:";
  return computation.starts_with(kReplay) ? computation.substr(kReplay.size()) : "";
}

core::Result<loggp::ReplayedRanks> read_replayed(const std::string& computation) {
  if (computation.empty()) return loggp::ReplayedRanks{};
  const std::string folder = replayed_folder(computation);
  if (!folder.empty()) return loggp::read_replayed_ranks(folder);
  return core::Error{core::ErrorCode::kUsage, "--computation " + computation + " is not replay:DIR",
                     "DIR is the folder in which `scalediag replay` left what it measured", "--computation"};
}

}  // namespace scalediag::cli
