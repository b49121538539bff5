// Connections that MPI makes when two ranks first send to each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace scalediag::loggp {

class Connections {
 public:
  // The time in seconds from which a message between two ranks, sent at now_s, has a connection, where making one takes
  // connect_s (LinkClass::connect_s). Memory grows with the number of pairs that send, and is not used where connect_s
  // is 0. Ranks' clocks are not in step: of two that both begin a connection, the earlier one counts for later
  // messages.
  double ready_s(uint32_t a, uint32_t b, double now_s, double connect_s) {
    if (connect_s <= 0 || a == b) return now_s;
    double& made_s = made_s_.try_emplace(pair_of(a, b), now_s + connect_s).first->second;
    made_s = std::min(made_s, now_s + connect_s);
    return std::max(now_s, made_s);
  }
  // The time from which there is one, in seconds; 0: none was made, or none is needed.
  double made_s(uint32_t a, uint32_t b) const {
    if (made_s_.empty()) return 0;
    const auto found = made_s_.find(pair_of(a, b));
    return found == made_s_.end() ? 0 : found->second;
  }

 private:
  static uint64_t pair_of(uint32_t a, uint32_t b) { return uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

  std::unordered_map<uint64_t, double> made_s_;  // by the smaller rank, then the larger
};

}  // namespace scalediag::loggp
