#include "loggp/representatives/replayed_computations.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace scalediag::loggp {
namespace {

// The vector of each rank, by its stand-in.
Result<std::vector<const ComputationVector*>> vectors_for(const std::vector<StandIn>& stand_ins,
                                                          const ReplayedRanks& replayed,
                                                          const std::function<const RankTrace&(int rank)>& trace_of,
                                                          const std::string& hint) {
  std::vector<const ComputationVector*> vectors;
  for (size_t rank = 0; rank < stand_ins.size(); ++rank) {
    const ComputationVector& vector = replayed.vectors.at(stand_ins[rank].rank);
    const uint64_t events = trace_of(static_cast<int>(rank)).n_events;
    if (vector.size() != events + 1 && has_calls_of_many_events(trace_of(static_cast<int>(rank)))) {
      return Error{ErrorCode::kInput,
                   replayed.folder +
                       ": replays count a neighbourhood collective or one-sided call as one event, and "
                       "the trace of rank " +
                       std::to_string(rank) + " has all of its messages",
                   "simulate what was traced, without replays", replayed.folder};
    }
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
    all.push_back({static_cast<int>(rank), 1, Apart{0, 0.0}});
  }
  if (all.size() == traces.size() && replayed.vectors.size() == all.size()) return all;
  return replayed_for(groups, replayed, known);
}

// The computations that ranks have in common, event by event, times what `trace`, which has a rank's own, took for all
// occurrences of each event: a rank that is slower at one place stays so. Of the difference of the whole from the
// common one the share `persists` is left.
ComputationVector with_own_means(RankTrace& trace, const ComputationVector& common, double persists) {
  std::map<const TraceStep*, double> common_s;
  size_t next = 0;
  each_occurrence(trace.steps, [&](TraceStep& step, uint64_t /*number*/) { common_s[&step] += common[next++]; });
  ComputationVector its = common;
  next = 0;
  each_occurrence(trace.steps, [&](TraceStep& step, uint64_t /*number*/) {
    const double all_s = common_s[&step], own_s = static_cast<double>(step.before.total) * 1e-9;
    its[next] = static_cast<float>(all_s > 0 ? its[next] * own_s / all_s : own_s / static_cast<double>(step.before.n));
    ++next;
  });
  its.back() = static_cast<float>(static_cast<double>(trace.tail_ns) * 1e-9);
  const double own_s = std::accumulate(its.begin(), its.end(), 0.0);
  const double all_s = std::accumulate(common.begin(), common.end(), 0.0);
  const double kept = own_s > 0 ? (all_s + persists * (own_s - all_s)) / own_s : 1;
  for (float& seconds : its) seconds *= static_cast<float>(kept);
  return its;
}

// Gives replayed ranks that differ by no more than the noise between their repeats, or between occurrences of an event
// where there is one, what they have in common, and of their differences what persists over repeats: collectives would
// wait for whichever has the most noise. `traces`:
// those of replayed ranks are given their computations.
void leave_out_noise(std::vector<RankTrace>& traces, const RankGroups& groups, ReplayedRanks& replayed) {
  RankGroups of_replayed = groups;
  for (std::vector<int>& group : of_replayed) {
    std::erase_if(group, [&](int rank) { return replayed.vectors.count(rank) == 0; });
  }
  std::erase_if(of_replayed, [](const auto& group) { return group.empty(); });
  for (const auto& [rank, vector] : replayed.vectors) set_computations(traces[static_cast<size_t>(rank)], vector);
  const KnownComputations known =
      replayed.least_repeats() > 1 ? known_computations(replayed, traces.size()) : known_computations(traces, {});
  const auto sets = representatives_of(of_replayed, known, {});
  if (!sets) return;
  for (const RepresentedRanks& set : sets.value().sets) {
    if (set.ranks.size() < 2) continue;
    std::vector<ComputationVector> vectors;
    for (const int rank : set.ranks) vectors.push_back(replayed.vectors.at(rank));
    const ComputationVector common = medians_of(vectors);
    const auto persists = persistence(known, set.ranks);
    for (const int rank : set.ranks) {
      replayed.vectors.at(rank) =
          with_own_means(traces[static_cast<size_t>(rank)], common, persists ? persists->share : 1);
    }
  }
}

// Whether each replayed rank is one of the run and has a computation for each of its events.
bool fit_traces(const ReplayedRanks& replayed, const std::vector<RankTrace>& traces) {
  return std::ranges::all_of(replayed.vectors, [&](const auto& of) {
    return static_cast<size_t>(of.first) < traces.size() &&
           of.second.size() == traces[static_cast<size_t>(of.first)].n_events + 1;
  });
}

}  // namespace

std::optional<double> ReplayedShare::uncertainty() const {
  if (repeats < 2 || !apart) return std::nullopt;
  return 2 * error + *apart;
}

ReplayedShare replayed_share(const ReplayedRanks& replayed, const std::vector<StandIn>& stand_ins) {
  ReplayedShare share{stand_ins.size(), replayed.vectors.size(), replayed.least_repeats(), 0, 0.0};
  for (const auto& [rank, vector] : replayed.vectors) {
    const auto repeats = replayed.repeats.find(rank);
    if (repeats != replayed.repeats.end() && repeats->second.totals_s.size() > 1)
      share.error = std::max(share.error, repeats->second.error());
  }
  for (const StandIn& stand_in : stand_ins) {
    if (!stand_in.apart) share.apart.reset();
    if (share.apart && stand_in.apart) share.apart = std::max(*share.apart, stand_in.apart->beyond_noise());
  }
  return share;
}

Result<std::vector<StandIn>> set_replayed_computations(std::vector<RankTrace>& traces, const ReplayedRanks& measured,
                                                       const KnownComputations& known) {
  const bool tells_noise = measured.vectors.size() > 1 && fit_traces(measured, traces);
  const bool has_all = measured.vectors.size() >= traces.size();
  RankGroups groups;
  ReplayedRanks replayed = measured;
  if (tells_noise || !has_all) {
    auto found = communication_groups(traces);
    if (!found && !has_all) return found.error();
    if (found) groups = std::move(found.value());
    if (found && tells_noise) leave_out_noise(traces, groups, replayed);
  }
  auto stand_ins = TRY(stand_ins_of(traces, groups, replayed, known));
  const auto vectors = vectors_for(
      stand_ins, replayed, [&](int rank) -> const RankTrace& { return traces[static_cast<size_t>(rank)]; },
      "replay the run whose trace is simulated");
  if (!vectors) return vectors.error();
  for (size_t rank = 0; rank < traces.size(); ++rank) {
    set_computations(traces[rank], *vectors.value()[rank], stand_ins[rank].factor);
  }
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
