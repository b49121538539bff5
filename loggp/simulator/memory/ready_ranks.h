// The ranks that can go on. The first few of them are taken in the order in which they came, so that what they need can
// be fetched from memory meanwhile; of the others the newest is next, which needs the least memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalediag::loggp {

class ReadyRanks {
 public:
  static constexpr size_t kMostFirst = 16;

  // n_first: how many are the first few, at most kMostFirst.
  explicit ReadyRanks(size_t n_first) : n_first_(n_first) {}

  bool empty() const { return first_size_ == 0 && others_.empty(); }
  // The rank that is next after half as many as the first few; nullptr: there is none.
  const uint32_t* half_way() const {
    return first_size_ > n_first_ / 2 ? &first_[(taken_ + n_first_ / 2) % kMostFirst] : nullptr;
  }

  // fetch(rank) is called when a rank becomes one of the first few.
  void add(uint32_t rank, auto fetch) {
    if (first_size_ < n_first_) {
      add_first(rank, fetch);
    } else {
      others_.push_back(rank);
    }
  }
  // Precondition: !empty().
  uint32_t take(auto fetch) {
    if (n_first_ == 0) {
      const uint32_t rank = others_.back();
      others_.pop_back();
      return rank;
    }
    const uint32_t rank = first_[taken_++ % kMostFirst];
    --first_size_;
    if (!others_.empty()) {
      add_first(others_.back(), fetch);
      others_.pop_back();
    }
    return rank;
  }

 private:
  void add_first(uint32_t rank, auto fetch) {
    first_[(taken_ + first_size_++) % kMostFirst] = rank;
    fetch(rank);
  }

  size_t n_first_;
  size_t taken_ = 0;
  size_t first_size_ = 0;
  std::array<uint32_t, kMostFirst> first_{};
  std::vector<uint32_t> others_;  // a stack
};

}  // namespace scalediag::loggp
