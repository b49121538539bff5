#include "collector/merge/rank_blocks.h"

#include <algorithm>

namespace scalediag::merge {

RankBlocks::RankBlocks(int n_ranks)
    : n_ranks_(std::max(n_ranks, 1)), ranks_per_block_((n_ranks_ + core::kMaxPeerBlocks - 1) / core::kMaxPeerBlocks) {
  const auto blocks = static_cast<size_t>((n_ranks_ + ranks_per_block_ - 1) / ranks_per_block_);
  computation_s_.assign(blocks, 0);
  communication_s_.assign(blocks, 0);
  total_s_.assign(blocks, 0);
}

void RankBlocks::add(const RankRecord& record, const RankTimes& times) {
  const auto block = static_cast<size_t>(record.rank) / static_cast<size_t>(ranks_per_block_);
  computation_s_[block] += times.computation_s;
  communication_s_[block] += times.communication_s;
  total_s_[block] += times.total_s;
  for (const auto& [key, totals] : record.peers) {
    if (key.peer >= static_cast<uint32_t>(n_ranks_)) continue;  // unknown, or of another MPI_COMM_WORLD
    int from = static_cast<int>(block);
    int to = static_cast<int>(key.peer) / ranks_per_block_;
    if (key.direction == raw::kGot) std::swap(from, to);
    Traffic& t = traffic_[{from, to}];
    t.messages += static_cast<double>(totals.messages);
    t.bytes += static_cast<double>(totals.bytes);
  }
}

void RankBlocks::finish(core::Run& run) const {
  run.ranks_per_block = ranks_per_block_;
  for (const auto& [key, t] : traffic_) run.peers.push_back({key.first, key.second, t.messages, t.bytes});
  const auto means = [this](const std::vector<double>& sums) {
    std::vector<double> m = sums;
    for (size_t b = 0; b < m.size(); ++b) {
      m[b] /= std::min(ranks_per_block_, n_ranks_ - static_cast<int>(b) * ranks_per_block_);
    }
    return m;
  };
  run.rank_computation_s = means(computation_s_);
  run.rank_communication_s = means(communication_s_);
  run.rank_total_s = means(total_s_);
}

}  // namespace scalediag::merge
