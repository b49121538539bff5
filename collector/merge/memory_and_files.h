// The memory that ranks used and what they did with files, over the ranks of a run.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "collector/merge/raw/rank_record.h"
#include "collector/merge/sites/site_resolver.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class MemoryAndFiles {
 public:
  // Adds a rank that has its identity and clock points.
  void add(const RankRecord& record, SiteResolver& sites);
  void finish(int n_ranks, core::Run& run) const;

 private:
  struct SiteRow {
    core::OverRanksBuilder calls, bytes, time_s;
  };
  struct Row : SiteRow {
    std::map<core::CallSite, SiteRow> sites;
  };
  struct Totals {
    uint64_t calls = 0, bytes = 0, ticks = 0;
    void add(const Totals& other);
    Totals without(const Totals& part) const;
  };
  static void add(int rank, const Totals& totals, double tick, SiteRow& to);
  core::OverRanksBuilder peak_;
  std::map<std::string, double> peak_of_host_;
  bool peak_is_known_ = true;  // of all ranks
  std::map<std::string, Row> rows_;
};

}  // namespace scalediag::merge
