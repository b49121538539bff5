// Ranks of communicators and of MPI_COMM_WORLD.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace scalediag::loggp {

class CommunicatorIndex {
 public:
  static constexpr uint32_t kNotIn = 0xFFFFFFFF;

  // `members` as Program::communicators() has them; outlives this.
  CommunicatorIndex(const std::vector<std::vector<int>>& members, int world_size)
      : members_(members), world_size_(static_cast<uint32_t>(world_size)) {
    extend();
  }

  // To be called when `members` has become longer.
  void extend() {
    for (size_t c = sorted_.size(); c < members_.size(); ++c) {
      sorted_.emplace_back();
      for (size_t i = 0; i < members_[c].size(); ++i) sorted_[c].emplace_back(members_[c][i], static_cast<uint32_t>(i));
      std::ranges::sort(sorted_[c]);
    }
  }
  size_t count() const { return sorted_.size(); }
  uint32_t size(uint32_t communicator) const {
    return members_[communicator].empty() ? world_size_ : static_cast<uint32_t>(members_[communicator].size());
  }
  uint32_t world_rank(uint32_t communicator, uint32_t rank) const {
    return members_[communicator].empty() ? rank : static_cast<uint32_t>(members_[communicator][rank]);
  }
  uint32_t rank_in(uint32_t communicator, uint32_t world_rank) const {
    if (members_[communicator].empty()) return world_rank;
    const auto& sorted = sorted_[communicator];
    const auto at =
        std::lower_bound(sorted.begin(), sorted.end(), std::pair(static_cast<int>(world_rank), uint32_t{0}));
    return at != sorted.end() && at->first == static_cast<int>(world_rank) ? at->second : kNotIn;
  }

 private:
  const std::vector<std::vector<int>>& members_;
  uint32_t world_size_;
  std::vector<std::vector<std::pair<int, uint32_t>>> sorted_;
};

}  // namespace scalediag::loggp
