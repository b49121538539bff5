// Calls of GPUs' libraries over the ranks of a run, and what has to be said of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "collector/merge/rank_times.h"
#include "collector/merge/raw/rank_record.h"
#include "collector/merge/samples/kernel_table.h"
#include "collector/merge/sites/site_resolver.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class GpuCallTable {
 public:
  // Adds a rank that has its identity and clock points: its calls, and their time to the kernels of kind gpu. Returns
  // their time.
  GpuTime add(const RankRecord& record, core::Clock clock, SiteResolver& sites, KernelTable& kernels);
  // Fills in the run's calls and devices, and adds warnings.
  void finish(int n_ranks, core::Run& run) const;

 private:
  struct Totals {
    double calls = 0, bytes = 0, time_s = 0, device_s = 0, timed_calls = 0;
    void add(const Totals& other);
  };
  struct Row {
    core::OverRanksBuilder calls, bytes, time_s, device_s, timed_calls;
    std::string kind;
    void add(int rank, const Totals& totals);
  };
  struct SiteRow {
    core::OverRanksBuilder calls, bytes, time_s;
  };
  using Id = std::tuple<std::string, std::string, bool>;  // operation, detail, in MPI
  void warn_of_unseen(core::Run& run) const;
  void warn_of_shared_devices(core::Run& run) const;

  std::map<Id, Row> rows_;
  std::map<Id, std::map<core::CallSite, SiteRow>> sites_;
  std::map<std::pair<std::string, std::string>, int> devices_;  // host and device -> ranks
  std::set<std::string> unseen_drivers_;  // file names of those in ranks that were seen to make no call
  int ranks_unseen_ = 0;
  struct {
    core::OverRanksBuilder kernels_s, transfers_s, busy_s, communication_s;
    bool communicates = false;
  } busy_;
  std::string timed_by_, problem_;
};

}  // namespace scalediag::merge
