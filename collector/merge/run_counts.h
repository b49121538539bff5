// Counts of events in one run: the metrics that the events became, and the ranks that counted.
//
// If each event overflowed by itself, the charged counts of a rank are a sample: n overflows x period. They are
// multiplied so that all of the rank's samples together add up to the exact total, counted(rank, event). One overflow
// then stands for
//   resolution = period x counted / (n x period), in counts,
// and a count that is made of k overflows has the standard error sqrt(k) x resolution, that of independent samples.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/counters/events.h"
#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

// A metric of one kernel or operation over the ranks.
struct CountOverRanks {
  core::OverRanksBuilder value;
  double variance = 0;    // of the sum, by sampling
  double resolution = 0;  // the largest of a rank: less is not seen
};
// In the order of RunCounts.
using CountRow = std::vector<CountOverRanks>;

class RunCounts {
 public:
  // `events` are those of the run, and `each_overflows` says how they were charged; a rank in which either differs is
  // left out.
  explicit RunCounts(std::vector<std::string> events, bool each_overflows = false);

  // Begins the rank of the following add().
  void begin_rank(const RankRecord& record);
  // `counters` as the rank recorded them, totals of one kernel or operation; empty stands for zeros.
  void add(int rank, const std::vector<double>& counters, CountRow& row) const;
  void finish(const CountRow& row, int n_ranks, std::map<std::string, core::OverRanks>& metrics) const;
  // The standard errors of the sums over ranks, by metric; empty where counts are no sample.
  std::map<std::string, double> standard_errors(const CountRow& row, int n_ranks) const;
  // Counter source, events, ranks and warnings.
  void finish(int n_ranks, core::Run& run) const;

 private:
  std::vector<int> ranks_for(int n_ranks) const;
  void weigh(const RankRecord& record);
  void describe_overflows(core::Run& run) const;

  std::vector<std::string> events_;
  std::vector<counters::CountedMetric> metrics_;
  const bool each_overflows_;
  std::vector<double> weights_;              // of the present rank, by event; empty: 1
  std::vector<double> resolutions_;          // the same, in counts; 0: exact
  std::vector<core::SampledEvent> sampled_;  // where each overflows, by event
  uint64_t threads_ = 0;                     // that counted, at most
  bool counted_ = false;                     // for the present rank
  std::vector<int> counted_ranks_;           // in the order of begin_rank
  std::vector<int> other_events_;            // ranks that counted other events
  bool asked_for_ = false;
  uint64_t late_overflows_ = 0;
  uint64_t uncounted_threads_ = 0;
  std::map<std::string, std::vector<int>> problems_;  // ranks by problem
};

}  // namespace scalediag::merge
