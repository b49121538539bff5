#include "loggp/phases/computation/scaled_computation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "loggp/phases/computation/computation_hypothesis.h"
#include "loggp/phases/equations/value_hypothesis.h"
#include "loggp/phases/program_phases.h"
#include "loggp/simulator/noise.h"

namespace scalediag::loggp {
namespace {

// Waiting for devices is none.
double computation_of(const RankTrace& trace, const std::vector<TraceStep>& steps) {
  double sum = 0;
  for (const TraceStep& step : steps) {
    if (step.count > 0) {
      sum += computation_of(trace, step.body);
    } else if (trace.events[step.event].kind != trace::EventKind::kDeviceWait) {
      sum += static_cast<double>(step.before.total) * trace.events[step.event].stands_for;
    }
  }
  return sum;
}

std::vector<double> ns_of_classes(const ScaledTraces& traces) {
  std::vector<double> of_class;
  for (const RankClass& one : traces.classes()) {
    of_class.push_back(computation_of(one.trace, one.trace.steps) + static_cast<double>(one.trace.tail_ns));
  }
  return of_class;
}

double mean_ns(const std::vector<double>& of_class, const std::vector<uint32_t>& class_of) {
  double sum = 0;
  for (const uint32_t number : class_of) sum += of_class[number];
  return class_of.empty() ? 0 : sum / static_cast<double>(class_of.size());
}

// As they were measured, in ns.
std::vector<ValueSample> measured_totals(const ScalingModel& model) {
  std::map<RankOfScale, double> sums;
  for (const int ranks : model.scales) {
    for (int rank = 0; ranks > 1 && rank < ranks; ++rank) {
      sums[{ranks, rank}] = std::max(0.0, model.tail_ns.at(ranks, rank));
    }
  }
  each_leaf(model.slots, [&](const Slot& leaf) {
    if (leaf.kind == trace::EventKind::kDeviceWait) return;
    for (const auto& [where, values] : leaf.seen) {
      if (where.first > 1) sums[where] += values.times * values.before_ns;
    }
  });
  std::vector<ValueSample> samples;
  for (const auto& [where, ns] : sums) samples.push_back({where.first, where.second, ns});
  return samples;
}

bool is_meant(WhichRanks ranks, int rank) {
  return ranks == WhichRanks::kAll || (ranks == WhichRanks::kFirst) == (rank == 0);
}

std::vector<ValueSample> those_of(std::vector<ValueSample> totals, WhichRanks which) {
  const auto others = [which](const ValueSample& sample) { return !is_meant(which, sample.rank); };
  totals.erase(std::remove_if(totals.begin(), totals.end(), others), totals.end());
  return totals;
}

double by_total(const std::vector<ValueSample>& totals, int ranks) {
  return divided_hypothesis(totals, 1).at(ranks, 0);
}

// What rank 0 computes more than the mean of the others, at each scale; empty where at some scale it is not by
// kLeastExcess more than any other rank.
std::vector<ValueSample> excess_of_first(const std::vector<ValueSample>& totals) {
  constexpr double kLeastExcess = 0.2;
  std::vector<ValueSample> excess;
  for (const ValueSample& first : those_of(totals, WhichRanks::kFirst)) {
    double sum = 0, most = 0;
    for (const ValueSample& other : totals) {
      if (other.ranks != first.ranks || other.rank == 0) continue;
      sum += other.value;
      most = std::max(most, other.value);
    }
    if (first.value < (1 + kLeastExcess) * most) return {};
    excess.push_back({first.ranks, 0, first.value - sum / (first.ranks - 1)});
  }
  return excess;
}

}  // namespace

std::vector<ComputationDoubt> scale_to_total(ScaledTraces& traces) {
  const std::vector<ValueSample> totals = measured_totals(traces.model());
  if (totals.empty() || totals.front().ranks == totals.back().ranks) return {};
  const std::vector<uint32_t>& class_of = traces.class_numbers();
  const std::vector<ValueSample> excess = excess_of_first(totals);
  const bool is_apart =
      traces.ranks() > 1 && std::count(class_of.begin(), class_of.end(), class_of.front()) == 1 &&
      (!excess.empty() || ComputationHypothesis::of(totals, traces.model().grid).has_own_first_rank());
  const std::vector<double> of_class = ns_of_classes(traces);
  std::vector<double> factors(of_class.size(), 1.0);
  std::vector<ComputationDoubt> doubts;
  for (const WhichRanks which :
       is_apart ? std::vector{WhichRanks::kFirst, WhichRanks::kOthers} : std::vector{WhichRanks::kAll}) {
    double sum = 0, n = 0;
    for (int rank = 0; rank < traces.ranks(); ++rank) {
      if (!is_meant(which, rank)) continue;
      sum += of_class[class_of[static_cast<size_t>(rank)]];
      ++n;
    }
    const bool is_more = which == WhichRanks::kFirst && !excess.empty();
    const double scaled = sum / n;
    const double total = by_total(those_of(totals, is_more ? WhichRanks::kOthers : which), traces.ranks()) +
                         (is_more ? by_total(excess, traces.ranks()) : 0);
    if (!(scaled > 0 && total > 0)) continue;
    if (std::fabs(std::log(total / scaled)) >= std::log(kLargestDifference)) {
      doubts.push_back({1e-9 * scaled, 1e-9 * total, which});
    }
    for (int rank = 0; rank < traces.ranks(); ++rank) {
      if (is_meant(which, rank)) factors[class_of[static_cast<size_t>(rank)]] = total / scaled;
    }
  }
  traces.scale_computation(factors);
  return doubts;
}

void let_ranks_differ(ScaledTraces& traces) {
  constexpr int kFewestRanks = 4;
  const std::vector<ValueSample> totals = measured_totals(traces.model());
  const int largest = totals.empty() ? 0 : traces.model().scales.back();
  if (largest < kFewestRanks) return;
  const ComputationHypothesis explained = ComputationHypothesis::of(totals, traces.model().grid);
  std::vector<double> seen;
  for (const ValueSample& total : totals) {
    const double by_place = explained.at(total.ranks, total.rank);
    if (total.ranks == largest && by_place > 0) seen.push_back(total.value / by_place);
  }
  if (seen.empty()) return;
  const std::vector<double> of_class = ns_of_classes(traces);
  std::vector<double> factors;
  double sum = 0, with_factors = 0;
  for (int rank = 0; rank < traces.ranks(); ++rank) {
    factors.push_back(seen[mix_noise(static_cast<uint64_t>(rank)) % seen.size()]);
    const double ns = of_class[traces.class_numbers()[static_cast<size_t>(rank)]];
    sum += ns;
    with_factors += ns * factors.back();
  }
  if (!(with_factors > 0)) return;
  for (double& factor : factors) factor *= sum / with_factors;
  traces.set_rank_factors(std::move(factors));
}

double mean_computation_s(const ScaledTraces& traces) {
  return 1e-9 * mean_ns(ns_of_classes(traces), traces.class_numbers());
}

double computation_s(const RankTrace& trace) {
  return 1e-9 * (computation_of(trace, trace.steps) + static_cast<double>(trace.tail_ns));
}

double mean_computation_s(const std::vector<RankTrace>& run) {
  double sum = 0;
  for (const RankTrace& trace : run) sum += computation_s(trace);
  return run.empty() ? 0 : sum / static_cast<double>(run.size());
}

std::vector<PhaseComputation> measured_phases(const ScalingModel& model) {
  std::vector<PhaseComputation> measured;
  PhaseComputation rest;
  for (const int ranks : model.scales) {
    for (int rank = 0; rank < ranks; ++rank) {
      rest.mean_s[ranks] += 1e-9 * std::max(0.0, model.tail_ns.at(ranks, rank)) / ranks;
    }
  }
  int number = 0;
  for (const ProgramPhase& phase : phases_of(model)) {
    ++number;
    PhaseComputation own;
    own.phase = number;
    for (const int ranks : model.scales) own.mean_s[ranks] = 0;
    std::map<int, double>& mean_s = phase.relevant ? own.mean_s : rest.mean_s;
    for (const Slot* slot : phase.slots) {
      if (slot->kind == trace::EventKind::kDeviceWait) continue;
      for (const auto& [where, values] : slot->seen) {
        mean_s[where.first] += 1e-9 * values.times * values.before_ns / where.first;
      }
    }
    if (phase.relevant) measured.push_back(std::move(own));
  }
  measured.push_back(std::move(rest));
  return measured;
}

}  // namespace scalediag::loggp
