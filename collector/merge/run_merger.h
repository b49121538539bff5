// The sum over the ranks of one run.
#pragma once

#include <map>
#include <set>
#include <string>

#include "collector/merge/gpu/gpu_call_table.h"
#include "collector/merge/memory_and_files.h"
#include "collector/merge/merge_options.h"
#include "collector/merge/operation_table.h"
#include "collector/merge/paths/path_tree.h"
#include "collector/merge/paths/rank_paths.h"
#include "collector/merge/rank_blocks.h"
#include "collector/merge/raw/rank_record.h"
#include "collector/merge/region_table.h"
#include "collector/merge/run_scan.h"
#include "collector/merge/run_warnings.h"
#include "collector/merge/samples/kernel_table.h"

namespace scalediag::merge {

class RunMerger {
 public:
  // `first` is the record of a rank that was used; its statements about counters hold for the run. `scan`, `options`
  // and `symbols` have to outlive the merger.
  RunMerger(int n_ranks, const RunScan& scan, const MergeOptions& options, SymbolCache& symbols,
            const RankRecord& first);

  // Adds a rank, each once, in any order. Precondition: identity and clock points are there and 0 <= rank < n_ranks.
  void add(const RankRecord& record);
  // Fills the values from raw files; identity, completeness and clock are the caller's.
  void finish(core::Run& run) const;

 private:
  void add_times(int rank, const RankTimes& times);
  void warn_of_times(core::Run& run) const;
  void warn_of_missing_symbols(core::Run& run) const;
  void warn_of_stacks(core::Run& run) const;
  void warn_of_unattributed(core::Run& run) const;
  void warn_of_what_no_clock_sees(core::Run& run) const;

  const int n_ranks_;
  const MergeOptions& options_;
  SymbolCache& symbols_;
  RunCounts counts_;
  KernelTable kernels_;
  SiteCache sites_;
  OperationTable operations_;
  RankBlocks blocks_;
  MemoryAndFiles memory_and_files_;
  GpuCallTable gpu_;
  PathTree paths_;
  StackTimes stack_times_;
  RunWarnings warnings_;
  MainLoopTimes main_loop_;
  RegionTable regions_;
  std::set<std::string> problems_;
  std::map<std::string, std::string> unnamed_files_;  // by the name of the module
  std::set<std::string> hosts_;
  struct {
    core::OverRanksBuilder total_s, computation_s, openmp_waiting_s, gpu_s, communication_s, others_s, unattributed_s,
        off_cpu_s, wall_s, cpu_s, collector_s, asleep_s, children_s;
  } times_;
  bool waits_are_known_ = true;  // of all ranks
  uint32_t threads_max_ = 1;
  uint32_t lowest_rank_ = UINT32_MAX;
  RankIdentity identity_of_lowest_;
};

}  // namespace scalediag::merge
