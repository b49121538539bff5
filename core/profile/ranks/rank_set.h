// A set of ranks, which takes little room where they come one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalediag::core {

class RankSet {
 public:
  void add(int rank);
  bool has(int rank) const;
  // The lowest rank from 0 on that is not in it.
  int lowest_missing() const;

 private:
  static constexpr int kBits = 64;

  // Most ranks: begin_ <= rank < end_.
  int begin_ = 0, end_ = 0;
  // The others: bit r % kBits of others_[r / kBits - first_word_].
  std::vector<uint64_t> others_;
  size_t first_word_ = 0;
};

}  // namespace scalediag::core
