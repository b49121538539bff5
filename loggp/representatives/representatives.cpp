#include "loggp/representatives/representatives.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "loggp/representatives/computation_clusters.h"

namespace scalediag::loggp {
namespace {

const ComputationVector& vector_of(const std::vector<ComputationVector>& vectors, int rank) {
  static const ComputationVector kUnknown;
  return vectors.empty() ? kUnknown : vectors[static_cast<size_t>(rank)];
}

double computed_s(const ComputationVector& vector) { return std::accumulate(vector.begin(), vector.end(), 0.0); }

}  // namespace

std::vector<int> Representatives::ranks() const {
  std::vector<int> all;
  for (const RepresentedRanks& set : sets) all.push_back(set.representative);
  std::sort(all.begin(), all.end());
  return all;
}

Representatives representatives_of(const RankGroups& groups, const std::vector<ComputationVector>& vectors,
                                   std::optional<double> similarity) {
  Representatives result;
  result.groups = groups.size();
  for (size_t group = 0; group < groups.size(); ++group) {
    const std::vector<int>& ranks = groups[group];
    std::vector<const ComputationVector*> known;
    double sum_s = 0;
    for (const int rank : ranks) {
      const ComputationVector& vector = vector_of(vectors, rank);
      if (vector.empty()) break;
      known.push_back(&vector);
      sum_s += computed_s(vector);
    }
    if (known.size() < ranks.size()) {
      result.sets.push_back({group, ranks, ranks[ranks.size() / 2], std::nullopt});
      continue;
    }
    const double mean_s = sum_s / static_cast<double>(ranks.size());
    const double cut_s = similarity ? *similarity * mean_s : std::numeric_limits<double>::infinity();
    for (const ComputationCluster& cluster : clusters_of(known, cut_s)) {
      RepresentedRanks set = {group, {}, ranks[cluster.representative], mean_s > 0 ? cluster.apart_s / mean_s : 0};
      for (const size_t member : cluster.members) set.ranks.push_back(ranks[member]);
      result.sets.push_back(std::move(set));
    }
  }
  return result;
}

core::Result<std::vector<int>> replayed_for(const RankGroups& groups, const ReplayedRanks& replayed,
                                            const std::vector<ComputationVector>& vectors) {
  const auto wrong = [&](const std::string& what, const std::string& hint) {
    return core::Error{core::ErrorCode::kInput, replayed.folder + ": " + what, hint, replayed.folder};
  };
  size_t ranks = 0;
  for (const std::vector<int>& group : groups) ranks += group.size();
  const auto last = replayed.vectors.rbegin();
  if (last != replayed.vectors.rend() && last->first >= static_cast<int>(ranks)) {
    return wrong(
        "rank " + std::to_string(last->first) + " was replayed, and there are " + std::to_string(ranks) + " ranks",
        "replay ranks of the run that is simulated");
  }
  std::vector<int> result(ranks, -1);
  for (const std::vector<int>& group : groups) {
    std::vector<int> candidates;
    std::copy_if(group.begin(), group.end(), std::back_inserter(candidates),
                 [&](int rank) { return replayed.vectors.count(rank) > 0; });
    if (candidates.empty()) {
      return wrong("no rank was replayed of those that communicate as rank " + std::to_string(group.front()) + " does",
                   "`scalediag groups` says which ranks stand for others");
    }
    for (const int rank : group) {
      int& closest = result[static_cast<size_t>(rank)];
      closest = replayed.vectors.count(rank) > 0 ? rank : candidates.front();
      if (closest == rank) continue;
      double least_s = std::numeric_limits<double>::infinity();
      for (const int candidate : candidates) {
        const double apart_s = distance_s(vector_of(vectors, rank), vector_of(vectors, candidate));
        if (apart_s < least_s) closest = candidate;
        least_s = std::min(least_s, apart_s);
      }
    }
  }
  return result;
}

}  // namespace scalediag::loggp
