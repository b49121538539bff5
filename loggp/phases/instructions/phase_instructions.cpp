#include "loggp/phases/instructions/phase_instructions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <span>
#include <utility>

#include "core/equations/combinations.h"
#include "core/equations/terms.h"

namespace scalediag::loggp {
namespace {

using Means = std::map<int, double>;  // of a rank, by number of ranks

// The terms of means that the measured scales tell apart; of others the first, which is the simplest.
std::vector<core::RankTerm> distinct_terms(const Means& means, core::GridKind grid) {
  const int first = means.begin()->first;
  const auto are_proportional = [&](const core::RankTerm& a, const core::RankTerm& b) {
    const double factor = a.at(first, 0) / b.at(first, 0);
    return std::all_of(means.begin(), means.end(), [&](const auto& mean) {
      return std::abs(a.at(mean.first, 0) / (factor * b.at(mean.first, 0)) - 1) < 1e-9;
    });
  };
  std::vector<core::RankTerm> distinct;
  for (const core::RankTerm& term : core::mean_terms(grid)) {
    const bool is_known = std::any_of(distinct.begin(), distinct.end(),
                                      [&](const core::RankTerm& other) { return are_proportional(term, other); });
    if (!is_known) distinct.push_back(term);
  }
  return distinct;
}

struct TermSum {
  double misses = 0;  // the largest relative deviation from the means, and a penalty for each term
  double at_target = 0;
  std::string formula;
};

struct Level {
  double value = 0, low = 0, high = 0;
  std::string formula;
};

constexpr size_t kFewestScales = 3;
// A term more has to bring the sum that much closer; sums that are as close leave open which one it is.
constexpr double kTermPenalty = 0.003, kAsClose = 0.002;

// A rank's mean instructions at the target; `drift` of the totals.
Level level_of(const Means& means, int target, double drift, core::GridKind grid) {
  const auto [largest, at_largest] = *means.rbegin();
  const bool are_positive = std::all_of(means.begin(), means.end(), [](const auto& mean) { return mean.second > 0; });
  if (means.size() < kFewestScales || !are_positive) {
    const double constant_total = at_largest * largest / target;
    if (means.size() == 1) return {constant_total, constant_total, at_largest, "the total is taken to be constant"};
    return {constant_total, std::max(0.0, constant_total * (1 - std::abs(drift))),
            constant_total * (1 + std::abs(drift)), "the total is taken to be constant"};
  }
  const std::vector<core::RankTerm> terms = distinct_terms(means, grid);
  std::vector<core::Column> columns(terms.size());
  core::Column measured;
  std::vector<size_t> possible;
  for (const auto& [ranks, mean] : means) measured.push_back(mean);
  for (size_t i = 0; i < terms.size(); ++i) {
    possible.push_back(i);
    for (const auto& [ranks, mean] : means) columns[i].push_back(terms[i].at(ranks, 0));
  }
  std::vector<TermSum> candidates;
  for (size_t n = 1; n <= std::min(core::kMostTerms, means.size()); ++n) {
    core::for_each_choice(possible, n, [&](std::span<const size_t> chosen) {
      const auto solved = core::combination_of(chosen, columns, measured);
      if (!solved || std::ranges::min(solved->coefficients) < 0) return;
      TermSum made{solved->largest_deviation + kTermPenalty * static_cast<double>(n), 0, ""};
      for (size_t i = 0; i < n; ++i) {
        char number[32];
        std::snprintf(number, sizeof number, "%s%.4g", i > 0 ? " + " : "", solved->coefficients[i]);
        made.formula += number + terms[chosen[i]].text();
        made.at_target += solved->coefficients[i] * terms[chosen[i]].at(target, 0);
      }
      candidates.push_back(std::move(made));
    });
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [](const auto& a, const auto& b) { return a.misses < b.misses; });
  std::vector<double> values;
  for (const TermSum& candidate : candidates) {
    if (candidate.misses < best->misses + kAsClose) values.push_back(candidate.at_target);
  }
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  const double widened = best->misses * median;
  return {median, std::min(values.front(), median - widened), std::max(values.back(), median + widened), best->formula};
}

using Ranks = std::vector<RankInstructions>;

// Most instructions first.
std::vector<Ranks> groups_of(Ranks ranks) {
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const auto& a, const auto& b) { return a.instructions > b.instructions; });
  std::vector<Ranks> groups;
  for (const RankInstructions& rank : ranks) {
    if (groups.empty() || rank.instructions < kGroupSimilarity * groups.back().front().instructions) {
      groups.emplace_back();
    }
    groups.back().push_back(rank);
  }
  return groups;
}

double ranks_in(const Ranks& group) {
  double n = 0;
  for (const RankInstructions& rank : group) n += rank.counted_for;
  return n;
}

double sum_of(const Ranks& group) {
  double sum = 0;
  for (const RankInstructions& rank : group) sum += rank.instructions * rank.counted_for;
  return sum;
}

// Whether all numbers of ranks have as many groups, each with its share of the ranks, to half a rank.
bool are_same_groups(const std::map<int, std::vector<Ranks>>& groups) {
  const auto& [largest, expected] = *groups.rbegin();
  for (const auto& [ranks, list] : groups) {
    if (list.size() != expected.size()) return false;
    for (size_t i = 0; i < list.size(); ++i) {
      if (std::abs(ranks_in(list[i]) - ranks_in(expected[i]) * ranks / largest) >= 0.5) return false;
    }
  }
  return true;
}

// `groups`: of each number of ranks, the same of each.
InstructionGroup group_of(const std::map<int, Ranks>& at_scales, const std::map<int, CountedPhase>& counted, int target,
                          double weight, core::GridKind grid) {
  InstructionGroup made;
  Means means;
  for (const auto& [ranks, group] : at_scales) {
    made.ranks[ranks] = ranks_in(group);
    made.totals[ranks] = sum_of(group);
    means[ranks] = made.totals[ranks] / made.ranks[ranks];
    made.of_rank[ranks] = instructions_of_rank(made.totals[ranks], made.ranks[ranks], counted.at(ranks).weight);
  }
  const auto [largest, n] = *made.ranks.rbegin();
  made.ranks_at_target = n * target / largest;
  made.by_constant_total = instructions_of_rank(made.totals[largest], made.ranks_at_target, weight);
  const Level level = level_of(means, target, made.drift(), grid);
  made.at_target = level.value / weight;
  made.low = level.low / weight;
  made.high = level.high / weight;
  return made;
}

double relative(double value, double to) { return to > 0 ? value / to - 1 : 0; }

bool have_same_routines(const ProgramPhase& a, const ProgramPhase& b) {
  return std::equal(a.slots.begin(), a.slots.end(), b.slots.begin(), b.slots.end(),
                    [](const Slot* x, const Slot* y) { return x->kind == y->kind && x->routine == y->routine; });
}

}  // namespace

double CountedPhase::total() const { return sum_of(ranks); }
double CountedPhase::mean() const { return total() / ranks_in(ranks); }

double InstructionGroup::drift() const {
  double most = 0;
  for (const auto& [scale, total] : totals) {
    const double difference = relative(total, totals.rbegin()->second);
    if (std::abs(difference) > std::abs(most)) most = difference;
  }
  return most;
}

double instructions_of_rank(double total, double ranks, double weight) {
  return ranks > 0 && weight > 0 ? total / ranks / weight : 0;
}

std::vector<double> PhaseInstructions::of_ranks_at_target() const {
  std::vector<double> all = deviation.at(target);
  for (double& value : all) value = std::max(0.0, mean_at_target + value);
  return all;
}

PhaseInstructions predict_instructions(int phase, const std::map<int, CountedPhase>& counted, int target, double weight,
                                       core::GridKind grid) {
  PhaseInstructions made;
  made.phase = phase;
  made.counted = counted;
  made.target = target;
  made.target_weight = weight;
  std::map<int, std::vector<Ranks>> groups;
  Means means;
  std::vector<ValueSample> samples;
  for (const auto& [ranks, at_scale] : counted) {
    groups[ranks] = groups_of(at_scale.ranks);
    means[ranks] = at_scale.mean();
    for (const RankInstructions& rank : at_scale.ranks) samples.push_back({ranks, rank.rank, rank.instructions});
  }
  if (means.empty()) return made;
  made.is_one_group = !are_same_groups(groups);
  if (made.is_one_group) {
    for (auto& [ranks, list] : groups) list = {counted.at(ranks).ranks};
  }
  for (size_t i = 0; i < groups.begin()->second.size(); ++i) {
    std::map<int, Ranks> at_scales;
    for (const auto& [ranks, list] : groups) at_scales[ranks] = list[i];
    made.groups.push_back(group_of(at_scales, counted, target, weight, grid));
  }
  const auto& [largest, at_largest] = *counted.rbegin();
  made.ranks_at_target = ranks_in(at_largest.ranks) * target / largest;
  const double drift = counted.begin()->second.total() / at_largest.total() - 1;
  const Level level = level_of(means, target, drift, grid);
  made.formula = level.formula;
  made.mean_at_target = level.value;
  made.low = level.low;
  made.high = level.high;
  made.deviation = RankDeviation::of(samples, grid);
  return made;
}

std::vector<std::map<int, CountedPhase>> counted_phases(const std::vector<ProgramPhase>& phases,
                                                        const std::vector<int>& scales) {
  std::vector<std::map<int, CountedPhase>> all;
  for (const ProgramPhase& phase : phases) {
    std::map<int, CountedPhase>& counted = all.emplace_back();
    for (const int scale : scales) {
      std::map<int, RankInstructions> ranks;
      std::set<int> uncounted;
      for (const Slot* slot : phase.slots) {
        for (auto it = slot->seen.lower_bound({scale, 0}); it != slot->seen.end() && it->first.first == scale; ++it) {
          const auto& [where, values] = *it;
          if (!values.instructions) uncounted.insert(where.second);
          RankInstructions& rank = ranks[where.second];
          rank.rank = where.second;
          rank.instructions += values.times * values.instructions.value_or(0);
          rank.counted_for = values.counted_for;
        }
      }
      CountedPhase at_scale;
      const auto weight = phase.weight.find(scale);
      at_scale.weight = weight == phase.weight.end() ? 0 : weight->second;
      for (const auto& [number, rank] : ranks) {
        if (uncounted.count(number) == 0 && rank.counted_for > 0) at_scale.ranks.push_back(rank);
      }
      if (at_scale.weight > 0 && at_scale.total() > 0) counted[scale] = std::move(at_scale);
    }
  }
  return all;
}

std::vector<PhaseInstructions> instructions_of(const ScalingModel& model) {
  const std::vector<ProgramPhase> phases = phases_of(model);
  const auto counted = counted_phases(phases, model.scales);
  std::vector<PhaseInstructions> all;
  for (size_t i = 0; i < phases.size(); ++i) {
    if (counted[i].empty()) continue;
    all.push_back(
        predict_instructions(static_cast<int>(i) + 1, counted[i], model.target, phases[i].target_weight, model.grid));
  }
  return all;
}

std::map<size_t, size_t> same_phases(const std::vector<ProgramPhase>& a, const std::vector<ProgramPhase>& b) {
  std::map<size_t, size_t> same;
  if (a.size() == b.size()) {
    for (size_t i = 0; i < a.size(); ++i) same[i] = i;
    return same;
  }
  // The length of that of the phases from i and from k on.
  std::vector<std::vector<size_t>> length(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t k = b.size(); k-- > 0;) {
      length[i][k] = std::max(length[i + 1][k], length[i][k + 1]);
      if (have_same_routines(a[i], b[k])) length[i][k] = std::max(length[i][k], length[i + 1][k + 1] + 1);
    }
  }
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (have_same_routines(a[i], b[k]) && length[i][k] == length[i + 1][k + 1] + 1) {
      same[i++] = k++;
    } else if (length[i + 1][k] >= length[i][k + 1]) {
      ++i;
    } else {
      ++k;
    }
  }
  return same;
}

InstructionChecks check_instructions(const std::vector<PhaseInstructions>& predicted, const ScalingModel& model,
                                     const ScalingModel& with_target) {
  InstructionChecks checks;
  if (predicted.empty()) return checks;
  const std::vector<ProgramPhase> phases = phases_of(model), others = phases_of(with_target);
  const std::map<size_t, size_t> same = same_phases(phases, others);
  const int target = predicted.front().target;
  const auto counted = counted_phases(others, {target});
  for (const auto& phase : counted) {
    if (const auto found = phase.find(target); found != phase.end()) checks.counted += found->second.total();
  }
  for (const PhaseInstructions& phase : predicted) {
    checks.predicted += phase.mean_at_target * phase.ranks_at_target;
    const auto other = same.find(static_cast<size_t>(phase.phase) - 1);
    if (other == same.end()) continue;
    const auto found = counted[other->second].find(target);
    if (found == counted[other->second].end()) continue;
    InstructionCheck check;
    check.phase = phase.phase;
    check.ranks = static_cast<int>(found->second.ranks.size());
    check.counted_mean = found->second.mean();
    check.difference = relative(phase.mean_at_target, check.counted_mean);
    const std::vector<double> of_ranks = phase.of_ranks_at_target();
    for (const RankInstructions& rank : found->second.ranks) {
      const double difference = relative(of_ranks[static_cast<size_t>(rank.rank)], rank.instructions);
      if (std::abs(difference) > std::abs(check.worst)) check.worst = difference;
    }
    checks.phases.push_back(check);
  }
  return checks;
}

}  // namespace scalediag::loggp
