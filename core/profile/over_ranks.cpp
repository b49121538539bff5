#include "core/profile/over_ranks.h"

#include <algorithm>
#include <cstddef>

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

void OverRanksBuilder::add(const OverRanksBuilder& other) {
  if (other.added_ == 0) return;
  if (added_ == 0 || other.min_ < min_ || (other.min_ == min_ && other.rank_of_min_ < rank_of_min_)) {
    min_ = other.min_;
    rank_of_min_ = other.rank_of_min_;
  }
  if (added_ == 0 || other.max_ > max_ || (other.max_ == max_ && other.rank_of_max_ < rank_of_max_)) {
    max_ = other.max_;
    rank_of_max_ = other.rank_of_max_;
  }
  sum_ += other.sum_;
  added_ += other.added_;
  ranks_.add(other.ranks_);
  values_.add(other.values_);
}

OverRanks OverRanksBuilder::finish(int n_ranks, const std::vector<int>& ranks) const {
  if (ranks.empty() || n_ranks <= 0) return finish(n_ranks);
  OverRanks some;
  some.mean = sum_ / static_cast<double>(ranks.size());
  some.sum = some.mean * n_ranks;
  if (added_ > 0) {
    some.min = min_;
    some.max = max_;
    some.rank_of_min = rank_of_min_;
    some.rank_of_max = rank_of_max_;
  }
  const auto set_quantiles = [&] {
    if (n_ranks <= kRanksWithoutQuantiles) return;
    some.quantiles = values_.quantiles(static_cast<int64_t>(ranks.size()), some.min, some.max);
  };
  const auto first_zero = std::find_if_not(ranks.begin(), ranks.end(), [this](int rank) { return ranks_.has(rank); });
  if (first_zero == ranks.end()) {
    set_quantiles();
    return some;
  }
  const auto zero = [&](double& extreme, int& rank, bool beyond) {
    if (beyond || added_ == 0 || (extreme == 0 && *first_zero < rank)) {
      extreme = 0;
      rank = *first_zero;
    }
  };
  zero(some.min, some.rank_of_min, some.min > 0);
  zero(some.max, some.rank_of_max, some.max < 0);
  set_quantiles();
  return some;
}

OverRanks OverRanksBuilder::finish(int n_ranks) const {
  OverRanks all;
  if (n_ranks <= 0) return all;
  all.sum = sum_;
  all.mean = sum_ / n_ranks;
  if (added_ > 0) {
    all.min = min_;
    all.max = max_;
    all.rank_of_min = rank_of_min_;
    all.rank_of_max = rank_of_max_;
  }
  if (const int first_unseen = added_ < n_ranks ? ranks_.lowest_missing() : n_ranks; first_unseen < n_ranks) {
    const auto zero_at_first_unseen = [&](double& extreme, int& rank, bool beyond) {
      if (beyond || added_ == 0 || (extreme == 0 && first_unseen < rank)) {
        extreme = 0;
        rank = first_unseen;
      }
    };
    zero_at_first_unseen(all.min, all.rank_of_min, all.min > 0);
    zero_at_first_unseen(all.max, all.rank_of_max, all.max < 0);
  }
  if (n_ranks > kRanksWithoutQuantiles) all.quantiles = values_.quantiles(n_ranks, all.min, all.max);
  return all;
}

}  // namespace scalediag::core
