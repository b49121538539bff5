// Communicators of scaled traces, and their numbers over all ranks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalediag::loggp {

// A communicator of a class's trace.
struct ScaledCommunicator {
  size_t relation = 0;  // of the communicator relations
  uint64_t ordinal = 0;
  bool for_exchanges = false;  // has messages of collectives, which must not match the application's
  auto operator<=>(const ScaledCommunicator&) const = default;
};

// The same number is the same members, ordinal, and kind.
class CommunicatorNumbers {
 public:
  CommunicatorNumbers(const std::vector<ScaledCommunicator>& communicators, int ranks);
  // `communicator`: its place in the constructor's.
  uint32_t number(uint32_t communicator, int rank) const {
    const std::vector<uint32_t>& of_ranks = numbers_[communicator];
    return of_ranks.size() == 1 ? of_ranks.front() : of_ranks[static_cast<size_t>(rank)];
  }
  // By number; [0] is empty and stands for all ranks.
  std::vector<std::vector<int>>& members() { return members_; }

 private:
  std::vector<std::vector<uint32_t>> numbers_;  // by communicator and rank; one for all ranks that are in the same one
  std::vector<std::vector<int>> members_ = {{}};
};

}  // namespace scalediag::loggp
