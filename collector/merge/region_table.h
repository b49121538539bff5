// The regions that a program named and its parallel regions, over ranks: the same name in the same regions, by the same
// interface, is one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class RegionTable {
 public:
  // `parallel_names`: of the parallel regions of the record by their numbers. Those without stay as they are.
  void add(const RankRecord& record, const std::map<uint32_t, std::string>& parallel_names = {});
  // Regions in the order of their names, each before those in it.
  std::vector<core::Region> finish(int n_ranks) const;
  // Empty where there was no parallel region.
  std::optional<core::OpenMpTimes> openmp(int n_ranks) const;
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
    bool is_parallel = false;
    core::OverRanksBuilder busy_s, idle_s, slowest_s, busy_cpu_s;
    uint32_t most_threads = 0;
    bool has_unseen_tasks = false;
  };
  void add_openmp(const RankRecord& record, double inside_s, double inside_mpi_s);

  std::map<Key, Row> rows_;
  bool has_parallel_ = false;
  core::OverRanksBuilder inside_s_, outside_s_, outside_mpi_s_;
  double ends_without_begin_ = 0, dropped_ = 0;
  std::string first_without_begin_;
};

}  // namespace scalediag::merge
