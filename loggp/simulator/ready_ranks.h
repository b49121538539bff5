// The ranks that can go on, in the order in which they became able to: first in, first out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace scalediag::loggp {

class ReadyRanks {
 public:
  bool empty() const { return taken_ == added_; }
  size_t size() const { return added_ - taken_; }
  // The number of ranks taken before; the i-th next one will have been taken after as many and i more.
  uint64_t n_taken() const { return taken_; }

  void add(uint32_t rank) {
    if (size() == ring_.size()) grow();
    ring_[added_++ & (ring_.size() - 1)] = rank;
  }
  // Preconditions: !empty(); i < size().
  uint32_t take() { return ring_[taken_++ & (ring_.size() - 1)]; }
  uint32_t operator[](size_t i) const { return ring_[(taken_ + i) & (ring_.size() - 1)]; }

 private:
  void grow() {
    std::vector<uint32_t> larger(ring_.size() * 2);
    for (size_t i = 0; i < size(); ++i) larger[(taken_ + i) & (larger.size() - 1)] = (*this)[i];
    ring_ = std::move(larger);
  }

  std::vector<uint32_t> ring_ = std::vector<uint32_t>(64);  // a power of two of them
  uint64_t taken_ = 0, added_ = 0;
};

}  // namespace scalediag::loggp
