// Values over the ranks of a run.
#pragma once

#include <optional>
#include <vector>

#include "core/profile/ranks/rank_quantiles.h"
#include "core/profile/ranks/rank_set.h"

namespace scalediag::core {

// A value that every rank has. Ranks on which a kernel does not occur count as 0.
struct OverRanks {
  double sum = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
  int rank_of_min = 0;  // the lowest rank that has it
  int rank_of_max = 0;
  // At kRankQuantiles, of runs with more than kRanksWithoutQuantiles ranks. Empty for values that were put together
  // from others.
  std::optional<RankQuantiles> quantiles = {};
};

constexpr int kRanksWithoutQuantiles = 1024;

// Collects one value for each rank, at most once and in any order.
class OverRanksBuilder {
 public:
  void add(int rank, double value);
  // Ranks that were not added count as 0. With `ranks`, which are ascending, the result is over these alone, and `sum`
  // is mean x n_ranks; for other ranks nothing was added.
  OverRanks finish(int n_ranks, const std::vector<int>& ranks = {}) const;

 private:
  double sum_ = 0;
  double min_ = 0;
  double max_ = 0;
  int rank_of_min_ = -1;
  int rank_of_max_ = -1;
  int added_ = 0;
  RankSet ranks_;
  QuantileCounts values_;
};

}  // namespace scalediag::core
