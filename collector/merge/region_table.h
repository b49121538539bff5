// The regions that a program named, over ranks: the same name in the same regions, by the same interface, is one.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class RegionTable {
 public:
  void add(const RankRecord& record);
  // Regions in the order of their names, each before those in it.
  std::vector<core::Region> finish(int n_ranks) const;
  // Remarks on what could not be recorded.
  std::vector<std::string> warnings() const;

 private:
  // Path of parents, name, interface, whether other threads entered it.
  using Key = std::tuple<std::string, std::string, std::string, bool>;
  struct Parameter {
    double n = 0, sum = 0, min = 0, max = 0;
  };
  struct Row {
    core::OverRanksBuilder count, elapsed_s, cpu_s, computation_s, communication_s;
    int ranks_open = 0;  // on which it was entered and not left
    std::map<std::string, Parameter> parameters;
  };
  std::map<Key, Row> rows_;
  double ends_without_begin_ = 0, dropped_ = 0;
  std::string first_without_begin_;
};

}  // namespace scalediag::merge
