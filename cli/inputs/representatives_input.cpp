#include "cli/inputs/representatives_input.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"
#include "core/text/quantities.h"
#include "loggp/representatives/communication_groups.h"

namespace scalediag::cli {
namespace {

// Groups of ranks, and what of each rank's computations is known.
struct GroupedRun {
  RepresentedRun run;
  loggp::RankGroups groups;
  loggp::KnownComputations known;
};

Result<GroupedRun> recorded_run(const RepresentativesSource& source) {
  const auto folder = TRY(find_trace_folder(source.path, source.np, ""));
  TRY(check_replayed_program(source.path, folder, source.np, source.computation));
  const auto traces = TRY(loggp::read_traces(folder));
  auto groups = loggp::communication_groups(traces);
  if (!groups) {
    Error error = groups.error();
    error.message = folder + ": " + error.message;
    error.where = folder;
    return error;
  }
  const bool is_named = folder == source.path;
  auto known = loggp::known_computations(
      traces, is_named ? std::vector<std::vector<loggp::RankTrace>>() : predict::read_other_repeats(folder));
  return GroupedRun{{traces.front().executable, false, {}, known.repeats}, std::move(groups.value()), std::move(known)};
}

std::string far_text(const loggp::Apart& apart) {
  return core::spaced_percent(apart.all) + " apart" +
         (apart.noise ? ", with noise of " + core::spaced_percent(*apart.noise) : "");
}

Result<GroupedRun> scaled_run(const RepresentativesSource& source) {
  const auto traces = TRY(read_scaled_traces(source.path, {}, source.np));
  TRY(check_replayed_program(source.path, source.path, source.np, source.computation));
  return GroupedRun{{traces.model().executable, true, {}}, loggp::communication_groups(traces), {}};
}

Result<GroupedRun> grouped_run(const RepresentativesSource& source) {
  return source.np != 0 && has_only_other_scales(source.path, source.np) ? scaled_run(source) : recorded_run(source);
}

constexpr const char* kImbalanceLost = "their imbalance is left out, and so is the waiting for it";

}  // namespace

void check_largest_run(const std::string& path) {
  const auto experiment = core::ExperimentFolder(path).load();
  if (!experiment) return;
  const std::set<int> scales = predict::traced_scales(path, experiment.value());
  const auto largest = scales.empty() ? Result<GroupedRun>(Error{}) : recorded_run({path, *scales.rbegin(), ""});
  if (!largest) return;
  const auto sets = loggp::representatives_of(largest.value().groups, largest.value().known,
                                              {std::numeric_limits<double>::infinity(), 0});
  if (!sets) return;
  const loggp::RepresentedRanks* farthest = nullptr;
  for (const loggp::RepresentedRanks& set : sets.value().sets) {
    if (set.apart && (farthest == nullptr || set.apart->beyond_noise() > farthest->apart->beyond_noise()))
      farthest = &set;
  }
  if (farthest == nullptr || farthest->apart->beyond_noise() <= loggp::kUnlike) return;
  warn("on " + std::to_string(*scales.rbegin()) +
           " ranks, the most that were recorded, ranks that communicate alike compute up to " +
           far_text(*farthest->apart) + ": a representative of each group leaves that imbalance out",
       "trace that many ranks themselves, or record and replay all of them");
}

std::string tell_apart(const RepresentedRun& run) {
  const loggp::RepresentedRanks *farthest = nullptr, *noisiest = nullptr;
  size_t unknown = 0;
  for (const loggp::RepresentedRanks& set : run.representatives.sets) {
    if (!set.apart) {
      ++unknown;
      continue;
    }
    if (farthest == nullptr || set.apart->beyond_noise() > farthest->apart->beyond_noise()) farthest = &set;
    if (noisiest == nullptr || set.apart->all > noisiest->apart->all) noisiest = &set;
  }
  std::string first;
  const auto tell = [&first](const std::string& text, const char* hint) {
    warn(text, hint);
    if (first.empty()) first = text;
  };
  if (farthest != nullptr && farthest->apart->beyond_noise() > loggp::kUnlike) {
    tell("ranks that rank " + std::to_string(farthest->representative) + " stands for compute up to " +
             far_text(*farthest->apart) + ": " + kImbalanceLost,
         "without --similarity and --groups such ranks are apart by themselves");
  } else if (noisiest != nullptr && noisiest->apart->all > loggp::kUnlike) {
    note("ranks that rank " + std::to_string(noisiest->representative) + " stands for compute up to " +
         far_text(*noisiest->apart) + " in each rank's own " + (run.repeats > 1 ? "repeats" : "iterations"));
  }
  if (unknown > 0) {
    tell("it is not known how far ranks of " + core::counted(unknown, "group") +
             " are apart in what they compute: if they differ, " + kImbalanceLost,
         "trace as many ranks with `profile --trace`, or replay all of them");
  }
  return first;
}

void tell_stand_ins(const std::vector<loggp::StandIn>& stand_ins) {
  bool is_known = true;
  double beyond = 0;
  size_t farthest = 0;
  for (size_t rank = 0; rank < stand_ins.size(); ++rank) {
    is_known = is_known && stand_ins[rank].apart;
    const double its = stand_ins[rank].apart ? stand_ins[rank].apart->beyond_noise() : 0;
    if (its > beyond) farthest = rank;
    beyond = std::max(beyond, its);
  }
  if (!is_known) {
    warn(std::string("it is not known how like replayed ranks compute to those that they stand for: if they differ, ") +
             kImbalanceLost,
         "trace as many ranks with `profile --trace`, or replay all of them");
    return;
  }
  if (beyond > loggp::kUnlike) {
    warn("rank " + std::to_string(farthest) + " is given the computation of rank " +
             std::to_string(stand_ins[farthest].rank) + ", and by the traces they are " +
             far_text(*stand_ins[farthest].apart) + ": " + kImbalanceLost,
         "record and replay the ranks that `scalediag groups` names, or all");
  }
}

Result<std::vector<loggp::StandIn>> read_stand_ins(const std::string& path, int np,
                                                   const loggp::ReplayedRanks& replayed) {
  const auto grouped = TRY(grouped_run({path, np, ""}));
  auto stand_ins = loggp::replayed_for(grouped.groups, replayed, grouped.known);
  if (stand_ins) tell_stand_ins(stand_ins.value());
  return stand_ins;
}

Result<RepresentedRun> read_representatives(const RepresentativesSource& source) {
  const auto replayed = TRY(read_replayed(source.computation));
  auto grouped = TRY(grouped_run(source));
  auto& [run, groups, known] = grouped;
  if (run.is_scaled && source.computation.empty()) check_largest_run(source.path);
  if (!source.computation.empty()) {
    size_t ranks = 0;
    for (const std::vector<int>& group : groups) ranks += group.size();
    known = loggp::known_computations(replayed, ranks);
    run.repeats = known.repeats;
  }
  run.representatives = TRY(loggp::representatives_of(groups, known, source.choice));
  const auto& sets = run.representatives.sets;
  if (source.choice.similarity &&
      (known.are_means || std::ranges::none_of(sets, [](const auto& set) { return set.apart.has_value(); }))) {
    return Error{ErrorCode::kInput,
                 source.path + " does not hold the computations of ranks in their order, which --similarity needs",
                 "record them with `scalediag profile --trace --series`, or replay all ranks of a group", source.path};
  }
  return std::move(run);
}

Status check_replayed_program(const std::string& name, const std::string& folder, int np,
                              const std::string& computation) {
  const std::string replayed = replayed_folder(computation);
  const auto recorded = core::ExperimentFolder(replayed).load();
  const auto traced = program_of_traces(name, folder, np);
  if (replayed.empty() || !recorded || recorded.value().runs.empty() || !traced) return Done{};  // not known
  const auto compared =
      launch::compare_programs({replayed, recorded.value(), recorded.value().runs[0].configuration}, *traced);
  const std::string& other = compared.other_program.empty() ? compared.other_arguments : compared.other_program;
  if (!other.empty()) {
    return Error{ErrorCode::kInput, "what was replayed is not what was traced: " + other,
                 "record, replay and trace the program with the same arguments", replayed};
  }
  for (const std::string& doubt : compared.doubts) warn(doubt);
  return Done{};
}

void tell_other_nodes(const std::string& folder, const loggp::Network& network) {
  const auto recorded = core::ExperimentFolder(folder).load();
  if (!recorded || recorded.value().runs.empty() || recorded.value().ranks_per_node == 0) return;  // not known
  const int node = recorded.value().ranks_per_node;
  const loggp::Placement& placement = network.placement;
  bool is_same = true;
  for (int rank = 1; rank < recorded.value().runs.front().configuration.np; ++rank) {
    is_same = is_same && (placement.node_of(rank) == placement.node_of(rank - 1)) == (rank / node == (rank - 1) / node);
  }
  if (is_same) return;
  const std::string ranks = std::to_string(node);
  warn(folder + " was recorded with " + core::counted(node, "rank") + " on a node (--node " + ranks +
           "), and the network has " +
           (placement.kind == loggp::Placement::Kind::kBlock ? std::to_string(placement.ranks_per_node)
                                                             : "other ranks together") +
           ": ranks share their memory with others than those that they were replayed with",
       "--network with ranks-per-node=" + ranks + ", or placement.ranks_per_node of its file, has the same nodes; " +
           "`record --node` records those of the network");
}

std::string replayed_folder(const std::string& computation) {
  constexpr std::string_view kReplay = "replay:";
  return computation.starts_with(kReplay) ? computation.substr(kReplay.size()) : "";
}

Result<loggp::ReplayedRanks> read_replayed(const std::string& computation) {
  if (computation.empty()) return loggp::ReplayedRanks{};
  const std::string folder = replayed_folder(computation);
  if (!folder.empty()) return loggp::read_replayed_ranks(folder);
  return Error{ErrorCode::kUsage, "--computation " + computation + " is not replay:DIR",
               "DIR is the folder in which `scalediag replay` left what it measured", "--computation"};
}

}  // namespace scalediag::cli
