#include "fit/application/slowest_rank.h"

#include <algorithm>
#include <cmath>

namespace scalediag::fit {
namespace {

// The number of samples that a measured (not sampled) time counts as: any difference is then significant.
constexpr double kNotSampled = 1e12;

// The margin of chance in standard deviations: the largest of P equal ranks is usually sqrt(2 ln P) above the mean.
double doubt(int np) { return 1.5 * std::sqrt(2 * std::log(std::max(np, 2))); }

// Whether the slowest of P ranks is slower than sampling makes equal ones: the largest of P Poisson counts with mean n
// lies about sqrt(2 n ln P) above n.
bool is_beyond_chance(double max_s, double mean_s, int np, double samples) {
  return max_s - mean_s > mean_s * doubt(np) / std::sqrt(samples / np);
}

double mean_of(const TimeOverRanks& run) { return run.time == nullptr ? 0 : run.time->mean; }

// The slowest rank's time in repeats[i], or the mean where chance alone explains the difference.
double slowest_in_run(const RepeatsOverRanks& configuration, size_t i) {
  const TimeOverRanks& run = configuration.repeats[i];
  const int np = configuration.np;
  if (mean_of(run) <= 0 || np < 2) return mean_of(run);
  const core::OverRanks& own = *run.time;
  if (run.samples <= 0) return own.max;
  double max_s = 0, mean_s = 0, samples = 0;
  for (const TimeOverRanks& repeat : configuration.repeats) {
    if (repeat.time == nullptr || repeat.time->rank_of_max != own.rank_of_max) {
      return is_beyond_chance(own.max, own.mean, np, run.samples) ? own.max : own.mean;
    }
    max_s += repeat.time->max;
    mean_s += repeat.time->mean;
    samples += repeat.samples;
  }
  return is_beyond_chance(max_s, mean_s, np, samples) ? own.max : own.mean;
}

int number_of(int rank, int np) { return rank == kLastRank ? np - 1 : rank; }

enum class Extreme { kMost, kLeast };

int rank_of(const core::OverRanks& time, Extreme extreme) {
  return extreme == Extreme::kMost ? time.rank_of_max : time.rank_of_min;
}

// Whether `rank` has more than the mean, or less, over all configurations together, where counts and their variances
// add up. Where the rank is not the extreme one, it is only known to be no farther out than the other extreme.
bool stands_out(const std::vector<RepeatsOverRanks>& configurations, int rank, Extreme extreme) {
  const bool most = extreme == Extreme::kMost;
  double beyond = 0, variance = 0;
  int largest = 2;
  for (const RepeatsOverRanks& c : configurations) {
    if (c.np < 2) continue;
    largest = std::max(largest, c.np);
    for (const TimeOverRanks& run : c.repeats) {
      if (mean_of(run) <= 0) continue;
      const bool is_extreme = rank_of(*run.time, extreme) == number_of(rank, c.np);
      const double own = is_extreme == most ? run.time->max : run.time->min;
      const double equal = run.samples > 0 ? run.samples / c.np : kNotSampled;
      beyond += equal * (most ? own / run.time->mean - 1 : 1 - own / run.time->mean);
      variance += equal;
    }
  }
  return variance > 0 && beyond > doubt(largest) * std::sqrt(variance);
}

// The rank that is the extreme one in most runs of the largest configuration that has any samples.
std::optional<int> candidate(const std::vector<RepeatsOverRanks>& configurations, Extreme extreme) {
  const RepeatsOverRanks* largest = nullptr;
  for (const RepeatsOverRanks& c : configurations) {
    const bool seen = std::any_of(c.repeats.begin(), c.repeats.end(), [](const auto& run) { return mean_of(run) > 0; });
    if (c.np > 1 && seen && (largest == nullptr || c.np >= largest->np)) largest = &c;
  }
  if (largest == nullptr) return std::nullopt;
  std::vector<int> ranks;
  for (const TimeOverRanks& run : largest->repeats) {
    if (mean_of(run) > 0) ranks.push_back(rank_of(*run.time, extreme));
  }
  std::sort(ranks.begin(), ranks.end());
  int most = ranks.front();
  for (const int rank : ranks) {
    if (std::count(ranks.begin(), ranks.end(), rank) > std::count(ranks.begin(), ranks.end(), most)) most = rank;
  }
  return most == largest->np - 1 ? kLastRank : most;
}

std::optional<int> rank_that_stands_out(const std::vector<RepeatsOverRanks>& configurations, Extreme extreme) {
  const std::optional<int> rank = candidate(configurations, extreme);
  return rank && stands_out(configurations, *rank, extreme) ? rank : std::nullopt;
}

std::optional<LeastRank> least_rank(const std::vector<RepeatsOverRanks>& configurations) {
  const std::optional<int> rank = rank_that_stands_out(configurations, Extreme::kLeast);
  if (!rank) return std::nullopt;
  double own = 0, mean = 0;
  for (const RepeatsOverRanks& c : configurations) {
    for (const TimeOverRanks& run : c.repeats) {
      if (c.np < 2 || mean_of(run) <= 0) continue;
      own += run.time->rank_of_min == number_of(*rank, c.np) ? run.time->min : run.time->mean;
      mean += run.time->mean;
    }
  }
  return LeastRank{*rank, own / mean};
}

}  // namespace

double at_least_of(const core::OverRanks& value, int rank) { return value.rank_of_max == rank ? value.max : value.min; }

SlowestRank slowest_rank(const std::vector<RepeatsOverRanks>& configurations) {
  SlowestRank slowest;
  slowest.rank = rank_that_stands_out(configurations, Extreme::kMost);
  slowest.least = least_rank(configurations);
  for (const RepeatsOverRanks& c : configurations) {
    std::vector<double>& times = slowest.time_s.emplace_back();
    for (size_t i = 0; i < c.repeats.size(); ++i) {
      double time_s = slowest_in_run(c, i);
      const core::OverRanks* all = c.repeats[i].time;
      if (slowest.rank && all != nullptr && all->rank_of_max == number_of(*slowest.rank, c.np)) time_s = all->max;
      times.push_back(time_s);
    }
  }
  return slowest;
}

}  // namespace scalediag::fit
