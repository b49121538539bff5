// The rank that takes longest for something, where the difference is more than the chance of sampling.
//
// A time is that of the slowest rank where it lies beyond chance: of a configuration's repeats together, where the same
// rank is the slowest in each, else of the run alone. Besides, all configurations are judged together where it is the
// same rank in most of them, since work that one rank does alone may be few samples in each. Else all ranks are taken
// to be equal, and the time is their mean.
#pragma once

#include <optional>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::fit {

// The number that stands for the last rank, whatever the number of ranks.
constexpr int kLastRank = -1;

// A time of all ranks in one run, and the number of samples of all ranks that it rests on; 0: it was measured, not
// sampled.
struct TimeOverRanks {
  const core::OverRanks* time = nullptr;  // null: it was not seen in the run
  double samples = 0;
};

struct RepeatsOverRanks {
  int np = 1;
  std::vector<TimeOverRanks> repeats;
};

// A rank that has less than the others at all configurations, beyond chance; of_mean: its time / the mean rank's, 0
// where it takes no part.
struct LeastRank {
  int rank = 0;  // or kLastRank
  double of_mean = 1;
};

struct SlowestRank {
  std::vector<std::vector<double>> time_s;  // by configuration and repeat
  std::optional<int> rank;                  // the same at all configurations of several ranks, or kLastRank
  std::optional<LeastRank> least;
};

SlowestRank slowest_rank(const std::vector<RepeatsOverRanks>& configurations);

// A lower bound of the value of rank `rank`: the maximum where the rank has it, else the minimum.
double at_least_of(const core::OverRanks& value, int rank);

}  // namespace scalediag::fit
