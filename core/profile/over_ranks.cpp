#include "core/profile/over_ranks.h"

#include <algorithm>

namespace scalediag::core {

void OverRanksBuilder::add(int rank, double value) {
  if (rank < 0) return;
  sum_ += value;
  if (added_ == 0 || value < min_ || (value == min_ && rank < rank_of_min_)) {
    min_ = value;
    rank_of_min_ = rank;
  }
  if (added_ == 0 || value > max_ || (value == max_ && rank < rank_of_max_)) {
    max_ = value;
    rank_of_max_ = rank;
  }
  ++added_;
  ranks_.add(rank);
  values_.add(value);
}

OverRanks OverRanksBuilder::finish(int n_ranks, const std::vector<int>& ranks) const {
  OverRanks all;
  if (n_ranks <= 0) return all;
  const int n = ranks.empty() ? n_ranks : static_cast<int>(ranks.size());
  all.mean = sum_ / n;
  all.sum = ranks.empty() ? sum_ : all.mean * n_ranks;
  if (added_ > 0) {
    all.min = min_;
    all.max = max_;
    all.rank_of_min = rank_of_min_;
    all.rank_of_max = rank_of_max_;
  }
  int first_zero = n_ranks;  // none
  if (const auto at = std::ranges::find_if(ranks, [this](int rank) { return !ranks_.has(rank); }); at != ranks.end()) {
    first_zero = *at;
  } else if (ranks.empty() && added_ < n_ranks) {
    first_zero = ranks_.lowest_missing();
  }
  const auto zero = [&](double& extreme, int& rank, bool beyond) {
    if (first_zero < n_ranks && (beyond || added_ == 0 || (extreme == 0 && first_zero < rank))) {
      extreme = 0;
      rank = first_zero;
    }
  };
  zero(all.min, all.rank_of_min, all.min > 0);
  zero(all.max, all.rank_of_max, all.max < 0);
  if (n_ranks > kRanksWithoutQuantiles) all.quantiles = values_.quantiles(n, all.min, all.max);
  return all;
}

}  // namespace scalediag::core
