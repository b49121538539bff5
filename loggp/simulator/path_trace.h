// The critical path during a simulation: the rank that each rank waited for last, and the path of that rank until then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "loggp/simulator/match_table.h"

namespace scalediag::loggp {

// A stretch of the critical path: rank `rank` from begin to end, then a message to the rank of the next stretch.
struct PathStretch {
  uint32_t rank = 0;
  double begin_s = 0;
  double end_s = 0;
};

class PathTrace {
 public:
  // Records that a rank could go on only at resumed_s, because of an operation that `peer` posted at posted_s, whose
  // path until then is `before`. Returns the rank's path from now on.
  uint32_t add(uint32_t peer, double posted_s, double resumed_s, uint32_t before) {
    if (n_nodes_ >= kMostNodes) {
      chunks_.clear();
      return kPathFromStart;
    }
    if ((n_nodes_ & kChunkMask) == 0) chunks_.push_back(std::make_unique<Node[]>(size_t{1} << kChunkBits));
    chunks_.back()[n_nodes_ & kChunkMask] = {posted_s, resumed_s, peer, before};
    return n_nodes_++;
  }

  // Whether ranks waited for more messages than are kept: there are no stretches then.
  bool is_left_out() const { return n_nodes_ >= kMostNodes; }

  // The stretches from the start to end_s on the path of `rank`. Empty: is_left_out().
  std::vector<PathStretch> stretches(uint32_t rank, double end_s, uint32_t path) const {
    std::vector<PathStretch> result;
    if (is_left_out()) return result;
    for (uint32_t i = path; i != kPathFromStart;) {
      const Node& node = chunks_[i >> kChunkBits][i & kChunkMask];
      result.push_back({rank, node.resumed_s, end_s});
      rank = node.rank;
      end_s = node.posted_s;
      i = node.before;
    }
    result.push_back({rank, 0, end_s});
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  static constexpr uint32_t kMostNodes = 24 << 20;  // 24 bytes each, 600 MB
  static constexpr uint32_t kChunkBits = 16;
  static constexpr uint32_t kChunkMask = (1U << kChunkBits) - 1;
  struct Node {
    double posted_s;
    double resumed_s;
    uint32_t rank;
    uint32_t before;
  };
  std::vector<std::unique_ptr<Node[]>> chunks_;
  uint32_t n_nodes_ = 0;
};

}  // namespace scalediag::loggp
