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

  // Ranks usually come in order, and then only the length of the prefix is stored.
  if (rank == first_unseen_) {
    ++first_unseen_;
    size_t beyond = 0;
    while (beyond < seen_beyond_.size() && seen_beyond_[beyond]) ++beyond;
    first_unseen_ += static_cast<int>(beyond);
    // seen_beyond_[i] stands for rank first_unseen_ + 1 + i.
    const size_t shift = std::min(beyond + 1, seen_beyond_.size());
    seen_beyond_.erase(seen_beyond_.begin(), seen_beyond_.begin() + static_cast<std::ptrdiff_t>(shift));
  } else if (rank > first_unseen_) {
    const auto at = static_cast<size_t>(rank - first_unseen_ - 1);
    if (at >= seen_beyond_.size()) seen_beyond_.resize(at + 1);
    seen_beyond_[at] = true;
  }
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
  const auto seen = [this](int rank) {
    const auto beyond = static_cast<size_t>(rank - first_unseen_ - 1);
    return rank < first_unseen_ || (rank > first_unseen_ && beyond < seen_beyond_.size() && seen_beyond_[beyond]);
  };
  const auto first_zero = std::find_if_not(ranks.begin(), ranks.end(), seen);
  if (first_zero == ranks.end()) return some;
  const auto zero = [&](double& extreme, int& rank, bool beyond) {
    if (beyond || added_ == 0 || (extreme == 0 && *first_zero < rank)) {
      extreme = 0;
      rank = *first_zero;
    }
  };
  zero(some.min, some.rank_of_min, some.min > 0);
  zero(some.max, some.rank_of_max, some.max < 0);
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
  if (first_unseen_ < n_ranks) {
    const auto zero_at_first_unseen = [&](double& extreme, int& rank, bool beyond) {
      if (beyond || added_ == 0 || (extreme == 0 && first_unseen_ < rank)) {
        extreme = 0;
        rank = first_unseen_;
      }
    };
    zero_at_first_unseen(all.min, all.rank_of_min, all.min > 0);
    zero_at_first_unseen(all.max, all.rank_of_max, all.max < 0);
  }
  return all;
}

}  // namespace scalediag::core
