#include "collector/counters/callgrind/counted_ranks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace scalediag::counters {
namespace {

enum Feature { kPartnersOut, kMessagesOut, kBytesOut, kPartnersIn, kMessagesIn, kBytesIn, kFeatures };
using Features = std::array<double, kFeatures>;

std::vector<Features> features_of(int np, const core::Run* measured) {
  std::vector<Features> features(static_cast<size_t>(np), Features{});
  if (measured == nullptr || measured->ranks_per_block != 1) return features;
  const auto exists = [np](int rank) { return rank >= 0 && rank < np; };
  for (const core::PeerTraffic& peer : measured->peers) {
    if (exists(peer.from)) {
      Features& f = features[static_cast<size_t>(peer.from)];
      f[kPartnersOut] += 1;
      f[kMessagesOut] += peer.messages;
      f[kBytesOut] += peer.bytes;
    }
    if (exists(peer.to)) {
      Features& f = features[static_cast<size_t>(peer.to)];
      f[kPartnersIn] += 1;
      f[kMessagesIn] += peer.messages;
      f[kBytesIn] += peer.bytes;
    }
  }
  for (Features& f : features) {
    for (const Feature i : {kMessagesOut, kBytesOut, kMessagesIn, kBytesIn}) f[i] = std::log2(1 + f[i]);
  }
  return features;
}

double distance(const Features& a, const Features& b) {
  double sum = 0;
  for (size_t i = 0; i < kFeatures; ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

// The chosen rank that is most alike; of several the nearest in number, then the lowest.
size_t most_alike(int rank, const std::vector<int>& chosen, const std::vector<Features>& features) {
  size_t best = 0;
  for (size_t i = 1; i < chosen.size(); ++i) {
    const auto key = [&](size_t c) {
      const auto at = static_cast<size_t>(chosen[c]);
      return std::pair(distance(features[static_cast<size_t>(rank)], features[at]), std::abs(chosen[c] - rank));
    };
    if (key(i) < key(best)) best = i;
  }
  return best;
}

RankChoice assign(int np, std::vector<int> chosen, const std::vector<Features>& features) {
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  RankChoice choice{std::move(chosen), {}};
  choice.stands_for.assign(choice.ranks.size(), 0);
  for (int rank = 0; rank < np; ++rank) {
    const auto itself = std::lower_bound(choice.ranks.begin(), choice.ranks.end(), rank);
    const bool is_chosen = itself != choice.ranks.end() && *itself == rank;
    const size_t i =
        is_chosen ? static_cast<size_t>(itself - choice.ranks.begin()) : most_alike(rank, choice.ranks, features);
    ++choice.stands_for[i];
  }
  return choice;
}

}  // namespace

RankChoice choose_ranks(int np, const core::Run* measured) {
  std::vector<int> chosen(static_cast<size_t>(std::min(np, kChosenRanks)));
  std::iota(chosen.begin(), chosen.end(), 0);
  const auto features = features_of(np, measured);
  if (np <= kChosenRanks) return assign(np, chosen, features);
  chosen = {0, np - 1};
  while (chosen.size() < kChosenRanks) {
    int farthest = -1;
    double largest = 0;
    for (int rank = 0; rank < np; ++rank) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const int c : chosen) {
        nearest = std::min(nearest, distance(features[static_cast<size_t>(rank)], features[static_cast<size_t>(c)]));
      }
      if (nearest > largest) {
        largest = nearest;
        farthest = rank;
      }
    }
    if (farthest < 0) break;
    chosen.push_back(farthest);
  }
  return assign(np, chosen, features);
}

RankChoice assign_ranks(int np, const core::Run* measured, const std::vector<int>& wanted) {
  return assign(np, wanted, features_of(np, measured));
}

}  // namespace scalediag::counters
