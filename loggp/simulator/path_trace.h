// The critical path during a simulation: the rank that each rank waited for last, and the path of that rank until then.
#pragma once

#include <algorithm>
#include <cstdint>
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
    if (nodes_.size() >= kOwnPath) return before;
    nodes_.push_back({posted_s, resumed_s, peer, before});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  // The stretches from the start to end_s on the path of `rank`.
  std::vector<PathStretch> stretches(uint32_t rank, double end_s, uint32_t path) const {
    std::vector<PathStretch> result;
    for (uint32_t i = path; i != kPathFromStart; i = nodes_[i].before) {
      result.push_back({rank, nodes_[i].resumed_s, end_s});
      rank = nodes_[i].rank;
      end_s = nodes_[i].posted_s;
    }
    result.push_back({rank, 0, end_s});
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  struct Node {
    double posted_s;
    double resumed_s;
    uint32_t rank;
    uint32_t before;
  };
  std::vector<Node> nodes_;
};

}  // namespace scalediag::loggp
