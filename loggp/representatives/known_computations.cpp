#include "loggp/representatives/known_computations.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/statistics.h"
#include "loggp/representatives/computation_clusters.h"

namespace scalediag::loggp {
namespace {

// Less than this share of a rank's computation says nothing of the noise in all of it.
constexpr double kTellingShare = 0.1;

struct Noise {
  double apart_s = 0;     // of events that occur several times
  double computed_s = 0;  // by them
  double all_s = 0;       // before all events and after the last one
};

void add_noise(const std::vector<TraceStep>& steps, Noise& noise) {
  for (const TraceStep& step : steps) {
    add_noise(step.body, noise);
    if (step.count > 0) continue;
    const auto n = static_cast<double>(step.before.n);
    const double computed_s = static_cast<double>(step.before.total) * 1e-9;
    noise.all_s += computed_s;
    if (step.before.n < 2) continue;
    noise.computed_s += computed_s;
    double apart_s = 0;
    for (size_t k = 1; k < step.computations_s.size(); ++k) {
      apart_s +=
          std::abs(static_cast<double>(step.computations_s[k]) - static_cast<double>(step.computations_s[k - 1]));
    }
    // Two draws of a normal distribution are 2 / sqrt(pi) deviations apart in the mean, and two means of n draws
    // 1 / sqrt(n) of that, n times.
    noise.apart_s += step.computations_s.empty() ? 2 * std::numbers::inv_sqrtpi *
                                                       static_cast<double>(step.before.deviation) * 1e-9 * std::sqrt(n)
                                                 : apart_s * n / (n - 1);
  }
}

std::optional<double> noise_of_occurrences(const RankTrace& trace) {
  Noise noise;
  noise.all_s = static_cast<double>(trace.tail_ns) * 1e-9;
  add_noise(trace.steps, noise);
  if (noise.computed_s <= kTellingShare * noise.all_s) return std::nullopt;
  return noise.apart_s * noise.all_s / noise.computed_s;
}

ComputationVector computations_or_means_of(const RankTrace& trace) {
  ComputationVector computations = computations_of(trace);
  if (!computations.empty()) return computations;
  each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t /*number*/) {
    computations.push_back(static_cast<float>(step.before.mean_s()));
  });
  computations.push_back(static_cast<float>(static_cast<double>(trace.tail_ns) * 1e-9));
  return computations;
}

}  // namespace

const ComputationVector& KnownComputations::of(int rank) const {
  static const ComputationVector kUnknown;
  return static_cast<size_t>(rank) < vectors.size() ? vectors[static_cast<size_t>(rank)] : kUnknown;
}

std::optional<double> KnownComputations::noise_of(int a, int b) const {
  const auto larger = static_cast<size_t>(std::max(a, b));
  if (larger >= noise_s.size()) return std::nullopt;
  const auto &x = noise_s[static_cast<size_t>(a)], &y = noise_s[static_cast<size_t>(b)];
  return x && y ? std::optional(std::max(*x, *y)) : std::nullopt;
}

ComputationVector medians_of(const std::vector<ComputationVector>& repeats) {
  ComputationVector medians = repeats.front();
  std::vector<float> values(repeats.size());
  for (size_t i = 0; i < medians.size() && repeats.size() > 1; ++i) {
    for (size_t k = 0; k < repeats.size(); ++k) values[k] = repeats[k][i];
    std::ranges::sort(values);
    medians[i] = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  }
  return medians;
}

std::optional<Persistence> persistence(const KnownComputations& known, const std::vector<int>& ranks) {
  if (known.totals_s.empty() || ranks.size() < 3) return std::nullopt;
  const size_t repeats = known.totals_s[static_cast<size_t>(ranks.front())].size();
  if (repeats < 2) return std::nullopt;
  const auto has_all = [&](int rank) { return known.totals_s[static_cast<size_t>(rank)].size() == repeats; };
  if (!std::ranges::all_of(ranks, has_all)) return std::nullopt;
  const auto total_s = [&](size_t i, size_t k) { return known.totals_s[static_cast<size_t>(ranks[i])][k]; };
  // Each repeat relative to its own mean: a machine that is slower in one says nothing of ranks.
  std::vector<std::vector<double>> relative(ranks.size(), std::vector<double>(repeats));
  for (size_t k = 0; k < repeats; ++k) {
    double sum_s = 0;
    for (size_t i = 0; i < ranks.size(); ++i) sum_s += total_s(i, k);
    if (sum_s <= 0) return std::nullopt;
    for (size_t i = 0; i < ranks.size(); ++i)
      relative[i][k] = total_s(i, k) * static_cast<double>(ranks.size()) / sum_s;
  }
  Persistence found;
  double within = 0;
  for (const auto& its : relative) {
    found.means.push_back(core::mean(its));
    within += std::pow(core::standard_deviation(its), 2) / static_cast<double>(its.size());
  }
  const double between = std::pow(core::standard_deviation(found.means), 2);
  // Repeats of n ranks have n - 1 free deviations each, since each is relative to its mean.
  const double noise = within / static_cast<double>(ranks.size() - 1);
  if (between > noise) found.share = 1 - noise / between;
  return found;
}

std::vector<double> persistent_shares(const KnownComputations& known, const std::vector<int>& ranks) {
  std::vector<double> shares(ranks.size(), 1.0);
  const auto found = persistence(known, ranks);
  for (size_t i = 0; found && i < ranks.size(); ++i) shares[i] += found->share * (found->means[i] - 1);
  return shares;
}

KnownComputations known_computations(const std::vector<RankTrace>& run,
                                     const std::vector<std::vector<RankTrace>>& repeats) {
  KnownComputations known;
  known.repeats = repeats.size() + 1;
  for (size_t rank = 0; rank < run.size(); ++rank) {
    std::vector<ComputationVector> vectors = {computations_or_means_of(run[rank])};
    known.are_means = known.are_means || computations_of(run[rank]).empty();
    for (const auto& repeat : repeats) {
      if (rank >= repeat.size() || !repeat[rank].incomplete.empty()) continue;
      ComputationVector vector = computations_or_means_of(repeat[rank]);
      if (vector.size() == vectors.front().size()) vectors.push_back(std::move(vector));
    }
    std::optional<double> noise_s = noise_of_occurrences(run[rank]);
    if (vectors.size() > 1) {
      double apart_s = 0;
      size_t pairs = 0;
      for (size_t i = 0; i < vectors.size(); ++i) {
        for (size_t j = 0; j < i; ++j, ++pairs) apart_s += distance_s(vectors[i], vectors[j]);
      }
      noise_s = apart_s / static_cast<double>(pairs) * core::error_of_median(vectors.size());
    }
    std::vector<double>& totals_s = known.totals_s.emplace_back();
    for (const ComputationVector& vector : vectors)
      totals_s.push_back(std::accumulate(vector.begin(), vector.end(), 0.0));
    known.noise_s.push_back(noise_s);
    known.vectors.push_back(medians_of(vectors));
  }
  const auto is_in_all = [&](const auto& totals_s) { return totals_s.size() == known.repeats; };
  if (known.repeats < 2 || !std::ranges::all_of(known.totals_s, is_in_all)) known.totals_s.clear();
  return known;
}

KnownComputations known_computations(const ReplayedRanks& replayed, size_t ranks) {
  KnownComputations known;
  known.vectors.resize(ranks);
  known.noise_s.resize(ranks);
  known.repeats = replayed.least_repeats();
  if (known.repeats > 1) known.totals_s.resize(ranks);
  for (const auto& [rank, vector] : replayed.vectors) {
    if (static_cast<size_t>(rank) >= ranks) continue;
    known.vectors[static_cast<size_t>(rank)] = vector;
    const auto repeats = replayed.repeats.find(rank);
    const size_t n = repeats == replayed.repeats.end() ? 1 : repeats->second.totals_s.size();
    if (n > 1) known.noise_s[static_cast<size_t>(rank)] = repeats->second.apart_s * core::error_of_median(n);
    if (known.repeats > 1) {
      std::vector<double>& totals_s = known.totals_s[static_cast<size_t>(rank)];
      totals_s = repeats->second.totals_s;
      totals_s.resize(known.repeats);  // of the replays that all have; those of one command are made in turns
    }
  }
  return known;
}

}  // namespace scalediag::loggp
