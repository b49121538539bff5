#include "loggp/representatives/replayed_computations.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace scalediag::loggp {
namespace {

// The vector of each rank, by `taken_from`.
Result<std::vector<const ComputationVector*>> vectors_for(const std::vector<StandIn>& stand_ins,
                                                          const ReplayedRanks& replayed,
                                                          const std::function<const RankTrace&(int rank)>& trace_of,
                                                          const std::string& hint) {
  std::vector<const ComputationVector*> vectors;
  for (size_t rank = 0; rank < stand_ins.size(); ++rank) {
    const ComputationVector& vector = replayed.vectors.at(stand_ins[rank].rank);
    const uint64_t events = trace_of(static_cast<int>(rank)).n_events;
    if (vector.size() != events + 1) {
      return Error{ErrorCode::kInput,
                   replayed.folder + "/" + vector_file_name(stand_ins[rank].rank) + " holds " +
                       std::to_string(vector.size()) + " computations, and rank " + std::to_string(rank) + " has " +
                       std::to_string(events) +
                       " events in its trace: one is before each of them, and one after the last",
                   hint, replayed.folder};
    }
    vectors.push_back(&vector);
  }
  return vectors;
}

Result<std::vector<StandIn>> stand_ins_of(const std::vector<RankTrace>& traces, const RankGroups& groups,
                                          const ReplayedRanks& replayed, const KnownComputations& known) {
  std::vector<StandIn> all;
  for (size_t rank = 0; rank < traces.size() && replayed.vectors.count(static_cast<int>(rank)) > 0; ++rank) {
    all.push_back({static_cast<int>(rank), Apart{0, 0.0}});
  }
  if (all.size() == traces.size() && replayed.vectors.size() == all.size()) return all;
  return replayed_for(groups, replayed, known);
}

bool were_repeated(const ReplayedRanks& replayed) {
  return replayed.repeats.size() == replayed.vectors.size() &&
         std::ranges::all_of(replayed.repeats, [](const auto& its) { return its.second.totals_s.size() > 1; });
}

// Ranks that differ by no more than the noise between their repeats are given what they have in common, the medians of
// their events, times what each computed in all: collectives would wait for whichever has the most noise.
void leave_out_noise(const RankGroups& groups, ReplayedRanks& replayed) {
  size_t ranks = 0;
  RankGroups of_replayed = groups;
  for (std::vector<int>& group : of_replayed) {
    ranks += group.size();
    std::erase_if(group, [&](int rank) { return replayed.vectors.count(rank) == 0; });
  }
  std::erase_if(of_replayed, [](const auto& group) { return group.empty(); });
  const auto sets = representatives_of(of_replayed, known_computations(replayed, ranks), {});
  if (!sets) return;
  for (const RepresentedRanks& set : sets.value().sets) {
    std::vector<ComputationVector> vectors;
    for (const int rank : set.ranks) vectors.push_back(replayed.vectors.at(rank));
    const ComputationVector common = medians_of(vectors);
    const double common_s = std::accumulate(common.begin(), common.end(), 0.0);
    for (size_t i = 0; i < vectors.size() && vectors.size() > 1 && common_s > 0; ++i) {
      const double factor = std::accumulate(vectors[i].begin(), vectors[i].end(), 0.0) / common_s;
      ComputationVector& its = replayed.vectors.at(set.ranks[i]);
      its = common;
      for (float& seconds : its) seconds *= static_cast<float>(factor);
    }
  }
}

}  // namespace

std::optional<double> ReplayedShare::uncertainty() const {
  if (repeats < 2 || !apart) return std::nullopt;
  return 2 * error + *apart;
}

ReplayedShare replayed_share(const ReplayedRanks& replayed, const std::vector<StandIn>& stand_ins) {
  ReplayedShare share{stand_ins.size(), replayed.vectors.size(), std::numeric_limits<size_t>::max(), 0, 0.0};
  for (const auto& [rank, vector] : replayed.vectors) {
    const auto repeats = replayed.repeats.find(rank);
    const size_t n = repeats == replayed.repeats.end() ? 1 : repeats->second.totals_s.size();
    share.repeats = std::min(share.repeats, std::max<size_t>(1, n));
    if (n > 1) share.error = std::max(share.error, repeats->second.error());
  }
  for (const StandIn& stand_in : stand_ins) {
    if (!stand_in.apart) share.apart.reset();
    if (share.apart && stand_in.apart) share.apart = std::max(*share.apart, stand_in.apart->beyond_noise());
  }
  return share;
}

Result<std::vector<StandIn>> set_replayed_computations(std::vector<RankTrace>& traces, const ReplayedRanks& measured,
                                                       const KnownComputations& known) {
  RankGroups groups;
  const bool repeated = measured.vectors.size() > 1 && were_repeated(measured);
  if (repeated || measured.vectors.size() < traces.size()) groups = TRY(communication_groups(traces));
  ReplayedRanks replayed = measured;
  if (repeated && measured.vectors.rbegin()->first < static_cast<int>(traces.size())) leave_out_noise(groups, replayed);
  auto stand_ins = TRY(stand_ins_of(traces, groups, replayed, known));
  const auto vectors = vectors_for(
      stand_ins, replayed, [&](int rank) -> const RankTrace& { return traces[static_cast<size_t>(rank)]; },
      "replay the run whose trace is simulated");
  if (!vectors) return vectors.error();
  for (size_t rank = 0; rank < traces.size(); ++rank) set_computations(traces[rank], *vectors.value()[rank]);
  return stand_ins;
}

Result<ScaledProgram> replayed_program(ScaledTraces traces, const ReplayedRanks& replayed) {
  const auto stand_ins = TRY(replayed_for(communication_groups(traces), replayed, {}));
  const auto vectors = vectors_for(
      stand_ins, replayed,
      [&](int rank) -> const RankTrace& {
        return traces.classes()[traces.class_numbers()[static_cast<size_t>(rank)]].trace;
      },
      "the scaled trace is not that of the program: record " + std::to_string(traces.ranks()) +
          " ranks themselves with `scalediag profile --trace`, or leave out --computation");
  if (!vectors) return vectors.error();
  return ScaledProgram::of(std::move(traces), vectors.value());
}

}  // namespace scalediag::loggp
