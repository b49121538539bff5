#include "collector/counters/callgrind/round_extension.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace scalediag::counters {
namespace {

constexpr double kEveryRound = 0.75;  // calls a round: from here on a site belongs to every round

struct Kind {
  std::vector<size_t> parts;
  std::vector<double> calls;  // in a round, by site
  double weight = 0;          // of all its parts
  bool is_odd = false;        // it lacks a site that belongs to every round, and has no other one
};

// By the sites that are not called in every round, followed by whether the round is odd.
std::map<std::vector<bool>, Kind> kinds_of(const std::vector<raw::RoundCalls>& parts,
                                           const std::vector<bool>& is_occasional) {
  std::map<std::vector<bool>, Kind> kinds;
  for (size_t p = 2; p < parts.size(); ++p) {
    std::vector<bool> called(is_occasional.size() + 1);
    bool any_occasional = false, lacks_usual = false;
    for (size_t s = 0; s < is_occasional.size(); ++s) {
      called[s] = is_occasional[s] && parts[p].calls[s] > 0;
      any_occasional = any_occasional || called[s];
      lacks_usual = lacks_usual || (!is_occasional[s] && parts[p].calls[s] == 0);
    }
    called.back() = lacks_usual && !any_occasional;
    kinds[called].parts.push_back(p);
    kinds[called].is_odd = called.back();
  }
  for (auto& [called, kind] : kinds) {
    kind.calls.assign(is_occasional.size(), 0);
    for (const size_t p : kind.parts) {
      for (size_t s = 0; s < is_occasional.size(); ++s) {
        kind.calls[s] += static_cast<double>(parts[p].calls[s]) / static_cast<double>(kind.parts.size());
      }
    }
  }
  return kinds;
}

// The rounds of the kind that the remaining calls leave room for.
double rounds_left(const std::vector<bool>& called, const Kind& kind, const std::vector<double>& left) {
  double fewest = std::numeric_limits<double>::infinity();
  for (size_t s = 0; s < left.size(); ++s) {
    if (called[s]) fewest = std::min(fewest, std::max(0.0, left[s]) / kind.calls[s]);
  }
  return fewest;
}

double drift_of(const Kind& kind, const std::vector<double>& instructions) {
  const size_t half = kind.parts.size() / 2;
  double earlier = 0, later = 0;
  for (size_t i = 0; i < half; ++i) {
    earlier += instructions[kind.parts[i]];
    later += instructions[kind.parts[kind.parts.size() - 1 - i]];
  }
  return earlier > 0 ? later / earlier - 1 : 0;
}

}  // namespace

ExtendedRounds extend_rounds(const raw::CountedLoop& plan, const std::vector<raw::RoundCalls>& parts,
                             const std::vector<double>& instructions, double stretch) {
  const size_t n_sites = plan.sites.size();
  const double rounds = static_cast<double>(plan.rounds);
  std::vector<double> left(n_sites);
  std::vector<bool> is_occasional(n_sites);
  for (size_t s = 0; s < n_sites; ++s) {
    const double in_loop = static_cast<double>(plan.sites[s].calls) - static_cast<double>(parts[0].calls[s]);
    left[s] = in_loop - static_cast<double>(parts[1].calls[s]);
    is_occasional[s] = s > 0 && in_loop < kEveryRound * (rounds - 1);
  }
  auto kinds = kinds_of(parts, is_occasional);
  // Where the run ends soon after the last beginning, more than the stretch came before the first one.
  const double head = stretch > 0 ? std::min(plan.head, stretch) : plan.head;
  const bool by_stretch = stretch > 0 && plan.tail >= 1 - head;
  const double all = rounds - 2 + (by_stretch ? 1 : std::min(plan.tail, 1 - head));
  const std::vector<bool> none(n_sites + 1);

  // The kind with the fewest rounds first, since it takes calls from those that are more frequent.
  double assigned = 0;
  std::vector<std::pair<double, const std::vector<bool>*>> order;
  const bool only_odd = std::ranges::all_of(kinds, [](const auto& kind) { return kind.second.is_odd; });
  for (auto& [called, kind] : kinds) {
    if (kind.is_odd && !only_odd) {
      kind.weight = static_cast<double>(kind.parts.size());
      assigned += kind.weight;
      for (size_t s = 0; s < n_sites; ++s) left[s] -= kind.weight * kind.calls[s];
    }
  }
  const double odd = assigned;
  for (const auto& [called, kind] : kinds) {
    if (called == none || (kind.is_odd && !only_odd)) continue;
    order.emplace_back(rounds_left(called, kind, left), &called);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [ignored, called] : order) {
    Kind& kind = kinds.at(*called);
    kind.weight = std::min(all - assigned, rounds_left(*called, kind, left));
    assigned += kind.weight;
    for (size_t s = 0; s < n_sites; ++s) left[s] -= kind.weight * kind.calls[s];
  }
  // Calls that are still left are of rounds that lack a site of the kinds that were met: these are the nearest.
  for (const auto& [ignored, called] : order) {
    Kind& kind = kinds.at(*called);
    double more = 0;
    for (size_t s = 0; s < n_sites; ++s) {
      if ((*called)[s]) more = std::max(more, left[s] / kind.calls[s]);
    }
    more = std::min(more, all - assigned);
    kind.weight += more;
    assigned += more;
    for (size_t s = 0; s < n_sites; ++s) left[s] -= more * kind.calls[s];
  }
  const auto usual = kinds.find(none);
  if (usual != kinds.end()) usual->second.weight = all - assigned;
  const double sum = usual != kinds.end() ? all : assigned;

  ExtendedRounds extended;
  if (by_stretch) extended.stretch = -head / stretch;
  extended.weights.assign(parts.size(), 1);
  const Kind* most = nullptr;
  for (const auto& [called, kind] : kinds) {
    if (most == nullptr || kind.parts.size() > most->parts.size()) most = &kind;
    if (kind.is_odd && !only_odd) continue;
    // Where no counted round is without such calls, all that were counted stand for the rest.
    const double share = static_cast<double>(kind.parts.size()) / (static_cast<double>(parts.size() - 2) - odd);
    const double weight = (all - odd) * (sum > odd ? kind.weight / (sum - odd) : share);
    for (const size_t p : kind.parts) extended.weights[p] = weight / static_cast<double>(kind.parts.size());
  }
  if (most != nullptr) extended.drift = drift_of(*most, instructions);
  for (size_t s = 0; s < n_sites; ++s) {
    double calls = 0, of_a_round = 0;
    for (size_t p = 0; p < parts.size(); ++p) {
      const double in_part = static_cast<double>(parts[p].calls[s]);
      calls += extended.weights[p] * in_part;
      if (p > 0) of_a_round = std::max(of_a_round, in_part);
    }
    // The last round may be a part of one.
    const double all_calls = static_cast<double>(plan.sites[s].calls);
    const double off = std::abs(all_calls - calls) - of_a_round;
    extended.unseen = std::max(extended.unseen, off / std::max(all_calls, rounds));
  }
  return extended;
}

}  // namespace scalediag::counters
