// Which rank takes longest for something, as far as that is more than the chance of sampling.
//
// A time is that of the slowest rank where it lies beyond chance: of a configuration's repeats together, where the same
// rank is the slowest in each, else of the run alone. Besides, all configurations are judged together where it is the
// same rank in most of them, since work that one rank does alone may be few samples in each. Else all ranks are taken
// to be equal, and the time is their mean.
#pragma once

#include <optional>
#include <vector>

#include "core/profile.h"

namespace scalediag::fit {

// The last of however many ranks there are.
constexpr int kLastRank = -1;

// A time of all ranks in one run, and how many samples of all ranks it rests on; 0: it was not sampled but measured.
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

// What rank `rank` has: the maximum where it is the one that has it, else no less than the minimum.
double at_least_of(const core::OverRanks& value, int rank);

}  // namespace scalediag::fit
