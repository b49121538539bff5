#include "loggp/representatives/representatives.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "loggp/representatives/computation_clusters.h"

namespace scalediag::loggp {
namespace {

constexpr double kFarthest = std::numeric_limits<double>::infinity();

// A group with the tree of its ranks; `merges` are of their numbers in it.
struct GroupTree {
  const std::vector<int>* ranks = nullptr;
  std::vector<const ComputationVector*> vectors;  // empty: not known
  double mean_s = 0;
  Distances apart;  // noise and all
  std::vector<Merge> merges;
  size_t cut = 0;  // so many of them are made
};

double mean_of(const std::vector<int>& ranks, const KnownComputations& known) {
  double sum_s = 0;
  for (const int rank : ranks) sum_s = std::accumulate(known.of(rank).begin(), known.of(rank).end(), sum_s);
  return sum_s / static_cast<double>(ranks.size());
}

Apart apart_of(double distance_s, std::optional<double> noise_s, double mean_s) {
  if (mean_s <= 0) return {0, 0.0};
  return {distance_s / mean_s, noise_s ? std::optional(*noise_s / mean_s) : std::nullopt};
}

GroupTree tree_of(const std::vector<int>& ranks, const KnownComputations& known, bool with_noise) {
  GroupTree tree;
  tree.ranks = &ranks;
  for (const int rank : ranks) {
    if (known.of(rank).empty()) return {&ranks, {}, 0, {}, {}, 0};
    tree.vectors.push_back(&known.of(rank));
  }
  tree.mean_s = mean_of(ranks, known);
  tree.apart.resize(ranks.size());
  Distances to_cut(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      tree.apart[i].push_back(distance_s(*tree.vectors[i], *tree.vectors[j]));
      const Apart apart = apart_of(tree.apart[i][j], known.noise_of(ranks[i], ranks[j]), tree.mean_s);
      to_cut[i].push_back(with_noise ? apart.all : apart.beyond_noise());
    }
  }
  tree.merges = merges_of(std::move(to_cut));
  return tree;
}

// Adds the sets of a group and what would become of them at larger distances.
void add_sets(const GroupTree& tree, size_t group, const KnownComputations& known, Representatives& result) {
  const std::vector<int>& ranks = *tree.ranks;
  if (tree.vectors.empty()) {
    const auto apart = ranks.size() > 1 ? std::nullopt : std::optional(Apart{0, 0.0});
    result.sets.push_back({group, ranks, ranks[ranks.size() / 2], apart});
    return;
  }
  std::map<size_t, std::vector<size_t>> members;  // by their lowest
  std::map<size_t, double> joined_at;             // the same, where they are several
  for (size_t i = 0; i < ranks.size(); ++i) members[i] = {i};
  for (size_t k = 0; k < tree.cut; ++k) {
    auto gone = members.extract(tree.merges[k].gone);
    auto& into = members[tree.merges[k].into];
    into.insert(into.end(), gone.mapped().begin(), gone.mapped().end());
    joined_at[tree.merges[k].into] = tree.merges[k].apart;  // distances rise
  }
  std::map<size_t, size_t> number;  // of sets
  for (auto& [lowest, its] : members) {
    std::ranges::sort(its);
    RepresentedRanks set{group, {}, ranks[closest_to_centre(tree.vectors, its)], Apart{0, 0.0}};
    for (size_t i = 0; i < its.size(); ++i) {
      set.ranks.push_back(ranks[its[i]]);
      for (size_t j = 0; j < i; ++j) {
        const Apart apart =
            apart_of(tree.apart[its[i]][its[j]], known.noise_of(ranks[its[i]], ranks[its[j]]), tree.mean_s);
        const auto beyond = [](const Apart& x) { return std::pair(x.beyond_noise(), x.all); };
        if (beyond(apart) > beyond(*set.apart)) set.apart = apart;
      }
    }
    if (its.size() > 1) set.joined_at = joined_at.at(lowest);
    number[lowest] = result.sets.size();
    result.sets.push_back(std::move(set));
  }
  for (size_t k = tree.cut; k < tree.merges.size(); ++k) {
    result.merges.push_back({number.at(tree.merges[k].into), number.at(tree.merges[k].gone), tree.merges[k].apart});
  }
}

// Cuts the trees where there are `sets` in all: the closest merges of all groups are made first.
Status cut_into(size_t sets, std::vector<GroupTree>& trees) {
  size_t most = 0;
  std::vector<std::pair<double, size_t>> merges;  // distance, tree
  for (size_t t = 0; t < trees.size(); ++t) {
    most += std::max<size_t>(1, trees[t].vectors.size());
    for (const Merge& merge : trees[t].merges) merges.emplace_back(merge.apart, t);
  }
  if (sets > most || sets + merges.size() < most) {
    return Error{ErrorCode::kInput,
                 "ranks make " + std::to_string(most - merges.size()) + " to " + std::to_string(most) +
                     " groups, not " + std::to_string(sets),
                 "ranks that communicate otherwise stay apart, and those whose computations are not known together",
                 "--groups"};
  }
  std::ranges::stable_sort(merges);
  for (size_t k = 0; k < most - sets; ++k) ++trees[merges[k].second].cut;
  return Done{};
}

}  // namespace

double Apart::beyond_noise() const { return std::max(0.0, all - kNoiseFactor * noise.value_or(0)); }

std::vector<int> Representatives::ranks() const {
  std::vector<int> all;
  for (const RepresentedRanks& set : sets) all.push_back(set.representative);
  std::ranges::sort(all);
  return all;
}

Result<Representatives> representatives_of(const RankGroups& groups, const KnownComputations& known,
                                           const SetChoice& choice) {
  std::vector<GroupTree> trees;
  for (const std::vector<int>& ranks : groups) {
    trees.push_back(tree_of(ranks, known, choice.similarity.has_value()));
    const double cut = choice.similarity.value_or(kAlike);
    for (const Merge& merge : trees.back().merges) trees.back().cut += choice.sets == 0 && merge.apart <= cut ? 1 : 0;
  }
  if (choice.sets > 0) TRY(cut_into(choice.sets, trees));
  Representatives result;
  result.groups = groups.size();
  for (size_t group = 0; group < groups.size(); ++group) add_sets(trees[group], group, known, result);
  return result;
}

Result<std::vector<StandIn>> replayed_for(const RankGroups& groups, const ReplayedRanks& replayed,
                                          const KnownComputations& known) {
  const auto wrong = [&](const std::string& what, const std::string& hint) {
    return Error{ErrorCode::kInput, replayed.folder + ": " + what, hint, replayed.folder};
  };
  size_t ranks = 0;
  for (const std::vector<int>& group : groups) ranks += group.size();
  const auto last = replayed.vectors.rbegin();
  if (last != replayed.vectors.rend() && last->first >= static_cast<int>(ranks)) {
    return wrong(
        "rank " + std::to_string(last->first) + " was replayed, and there are " + std::to_string(ranks) + " ranks",
        "replay ranks of the run that is simulated");
  }
  std::vector<StandIn> result(ranks);
  for (const std::vector<int>& group : groups) {
    std::vector<int> candidates;
    std::copy_if(group.begin(), group.end(), std::back_inserter(candidates),
                 [&](int rank) { return replayed.vectors.count(rank) > 0; });
    if (candidates.empty()) {
      return wrong("no rank was replayed of those that communicate as rank " + std::to_string(group.front()) + " does",
                   "`scalediag groups` says which ranks stand for others");
    }
    const double mean_s = mean_of(group, known);
    const std::vector<double> shares = persistent_shares(known, group);
    const auto share_of = [&](int rank) {
      return shares[static_cast<size_t>(std::ranges::lower_bound(group, rank) - group.begin())];
    };
    for (const int rank : group) {
      StandIn& closest = result[static_cast<size_t>(rank)];
      if (replayed.vectors.count(rank) > 0) {
        closest = {rank, 1, Apart{0, 0.0}};
        continue;
      }
      closest.rank = candidates.front();
      double least_s = kFarthest;
      for (const int candidate : candidates) {
        if (known.of(rank).empty() || known.of(candidate).empty()) break;
        const double apart_s = distance_s(known.of(rank), known.of(candidate));
        if (apart_s >= least_s) continue;
        least_s = apart_s;
        closest.rank = candidate;
      }
      if (least_s == kFarthest) continue;
      if (const double its = share_of(closest.rank); its > 0) closest.factor = share_of(rank) / its;
      const double left_s = distance_s(known.of(rank), known.of(closest.rank), closest.factor);
      closest.apart = apart_of(left_s, known.noise_of(rank, closest.rank), mean_s);
    }
  }
  return result;
}

}  // namespace scalediag::loggp
