// Counts of events in one run: the metrics that the events became, and the ranks that counted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/counters/events.h"
#include "collector/merge/raw_reader.h"
#include "core/profile.h"

namespace scalediag::merge {

// The metrics of one kernel or operation, in the order of RunCounts.
using CountRow = std::vector<core::OverRanksBuilder>;

class RunCounts {
 public:
  // `events` are those of the run; a rank that counted others is left out.
  explicit RunCounts(std::vector<std::string> events);

  // Begins the rank of the following add().
  void begin_rank(const RankRecord& record);
  // `counters` as the rank recorded them, totals of one kernel or operation; empty stands for zeros.
  void add(int rank, const std::vector<double>& counters, CountRow& row) const;
  void finish(const CountRow& row, int n_ranks, std::map<std::string, core::OverRanks>& metrics) const;
  // Counter source, events, ranks and warnings.
  void finish(int n_ranks, core::Run& run) const;

 private:
  std::vector<int> ranks_for(int n_ranks) const;

  std::vector<std::string> events_;
  std::vector<counters::CountedMetric> metrics_;
  bool counted_ = false;            // for the present rank
  std::vector<int> counted_ranks_;  // in the order of begin_rank
  std::vector<int> other_events_;   // ranks that counted other events
  bool asked_for_ = false;
  uint64_t late_overflows_ = 0;
  uint64_t uncounted_threads_ = 0;
  std::map<std::string, std::vector<int>> problems_;  // ranks by problem
};

}  // namespace scalediag::merge
