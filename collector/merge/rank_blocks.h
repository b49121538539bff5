// The values for each single rank, kept for at most core::kMaxPeerBlocks blocks of neighbouring ranks.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "collector/merge/rank_times.h"
#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class RankBlocks {
 public:
  explicit RankBlocks(int n_ranks);

  void add(const RankRecord& record, const RankTimes& times);
  void finish(core::Run& run) const;

 private:
  struct Traffic {
    double messages = 0;
    double bytes = 0;
  };
  int n_ranks_;
  int ranks_per_block_;
  std::map<std::pair<int, int>, Traffic> traffic_;  // from block, to block
  std::vector<double> computation_s_, communication_s_, total_s_;
};

}  // namespace scalediag::merge
