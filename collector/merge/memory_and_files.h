// The memory that ranks used and what they did with files, over the ranks of a run.
#pragma once

#include <map>
#include <set>
#include <string>

#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class MemoryAndFiles {
 public:
  // Adds a rank that has its identity and clock points.
  void add(const RankRecord& record);
  void finish(int n_ranks, core::Run& run) const;

 private:
  struct Row {
    core::OverRanksBuilder calls, bytes, time_s;
  };
  core::OverRanksBuilder peak_;
  std::map<std::string, double> peak_of_host_;
  bool peak_is_known_ = true;  // of all ranks
  std::map<std::string, Row> rows_;
};

}  // namespace scalediag::merge
