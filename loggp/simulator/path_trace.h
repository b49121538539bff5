// The critical path during a simulation: the rank that each rank waited for last, and the path of that rank until then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "loggp/simulator/memory/match_table.h"

namespace scalediag::loggp {

// A stretch of the critical path: rank `rank` from begin to end, then a message to the rank of the next stretch.
struct PathStretch {
  uint32_t rank = 0;
  double begin_s = 0;
  double end_s = 0;
};

// A message on the critical path, or a handshake that a rank waited for: which operation sent it, and how much of the
// run time is its latencies, and how much its bytes and those that its adapters passed before.
struct PathMessage {
  uint16_t operation = 0;  // operation_of()
  float latency_s = 0;
  float bytes_s = 0;
};

class PathTrace {
 public:
  // Records that a rank could go on only at resumed_s, because of an operation that `peer` posted at posted_s, whose
  // path until then is `before`. Returns the rank's path from now on. A rank that waited for its own operation goes on
  // with its own path: posted_s is then resumed_s.
  uint32_t add(uint32_t peer, double posted_s, double resumed_s, uint32_t before, const PathMessage& message) {
    if (n_nodes_ >= kMostNodes) {
      chunks_.clear();
      return kPathFromStart;
    }
    if ((n_nodes_ & kChunkMask) == 0) chunks_.push_back(std::make_unique<Node[]>(size_t{1} << kChunkBits));
    Node& node = chunks_.back()[n_nodes_ & kChunkMask];
    node.posted_s = posted_s;
    node.resumed_s = resumed_s;
    node.latency_s = message.latency_s;
    node.bytes_s = message.bytes_s;
    node.rank = peer & kRankMask;
    node.before = before & kNoNode;
    node.operation = message.operation & kOperationMask;
    return n_nodes_++;
  }

  // Whether ranks waited for more messages than are kept: there are no stretches then.
  bool is_left_out() const { return n_nodes_ >= kMostNodes; }

  // The stretches from the start to end_s on the path of `rank`, and its messages. Empty: is_left_out().
  struct Path {
    std::vector<PathStretch> stretches;
    std::vector<PathMessage> messages;
  };
  Path path(uint32_t rank, double end_s, uint32_t last) const {
    Path result;
    if (is_left_out()) return result;
    for (uint32_t i = last; i != kNoNode && i != kPathFromStart;) {
      const Node& node = chunks_[i >> kChunkBits][i & kChunkMask];
      result.messages.push_back({static_cast<uint16_t>(node.operation), node.latency_s, node.bytes_s});
      const bool is_own = node.rank == rank && node.posted_s == node.resumed_s;
      if (!is_own) {
        result.stretches.push_back({rank, node.resumed_s, end_s});
        rank = node.rank;
        end_s = node.posted_s;
      }
      i = node.before;
    }
    result.stretches.push_back({rank, 0, end_s});
    std::ranges::reverse(result.stretches);
    std::ranges::reverse(result.messages);
    return result;
  }

 private:
  static constexpr uint32_t kMostNodes = 24 << 20;     // 32 bytes each, 800 MB
  static constexpr uint32_t kNoNode = (1U << 25) - 1;  // kPathFromStart in a node
  static constexpr uint32_t kRankMask = (1U << 24) - 1;
  static constexpr uint16_t kOperationMask = (1U << 15) - 1;
  static constexpr uint32_t kChunkBits = 16;
  static constexpr uint32_t kChunkMask = (1U << kChunkBits) - 1;
  struct Node {
    double posted_s;
    double resumed_s;
    float latency_s;
    float bytes_s;
    uint64_t rank : 24;  // of kMostRanks
    uint64_t before : 25;
    uint64_t operation : 15;
  };
  std::vector<std::unique_ptr<Node[]>> chunks_;
  uint32_t n_nodes_ = 0;
};

}  // namespace scalediag::loggp
