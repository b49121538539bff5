#include "core/profile/ranks/rank_set.h"

namespace scalediag::core {

void RankSet::add(int rank) {
  if (rank < 0) return;
  if (begin_ == end_) {
    begin_ = rank;
    end_ = rank + 1;
    return;
  }
  if (rank == end_) {
    ++end_;
    return;
  }
  if (rank >= begin_ && rank < end_) return;
  const auto word = static_cast<size_t>(rank / kBits);
  if (others_.empty()) first_word_ = word;
  if (word < first_word_) {
    others_.insert(others_.begin(), first_word_ - word, 0);
    first_word_ = word;
  }
  if (word - first_word_ >= others_.size()) others_.resize(word - first_word_ + 1);
  others_[word - first_word_] |= uint64_t{1} << (rank % kBits);
}

bool RankSet::has(int rank) const {
  if (rank < 0) return false;
  if (rank >= begin_ && rank < end_) return true;
  const auto word = static_cast<size_t>(rank / kBits);
  return word >= first_word_ && word - first_word_ < others_.size() &&
         (others_[word - first_word_] >> (rank % kBits) & 1) != 0;
}

int RankSet::lowest_missing() const {
  int rank = 0;
  while (has(rank)) {
    const size_t word = static_cast<size_t>(rank / kBits) - first_word_;  // of no use where it lies outside
    const bool is_full = rank % kBits == 0 && word < others_.size() && others_[word] == ~uint64_t{0};
    rank = rank >= begin_ && rank < end_ ? end_ : rank + (is_full ? kBits : 1);
  }
  return rank;
}

}  // namespace scalediag::core
