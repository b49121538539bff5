#include "collector/merge/run_counts.h"

#include <algorithm>

namespace scalediag::merge {
namespace {

std::string ranks_text(const std::vector<int>& ranks) {
  const int first = *std::min_element(ranks.begin(), ranks.end());
  if (ranks.size() == 1) return "rank " + std::to_string(first);
  return std::to_string(ranks.size()) + " ranks, the first is rank " + std::to_string(first);
}

}  // namespace

RunCounts::RunCounts(std::vector<std::string> events)
    : events_(std::move(events)), metrics_(counters::metrics_of(events_)) {}

void RunCounts::begin_rank(const RankRecord& record) {
  const int rank = static_cast<int>(record.rank);
  counted_ = !events_.empty() && record.identity && record.identity->counters == events_;
  if (counted_) counted_ranks_.push_back(rank);
  if (record.identity && !counted_ && record.identity->counters != events_) other_events_.push_back(rank);
  if (!record.counting) return;
  asked_for_ = true;
  late_overflows_ += record.counting->late_overflows;
  uncounted_threads_ += record.counting->uncounted_threads;
  if (!record.counting->problem.empty()) problems_[record.counting->problem].push_back(rank);
}

void RunCounts::add(int rank, const std::vector<double>& counters, CountRow& row) const {
  if (!counted_) return;
  row.resize(metrics_.size());
  for (size_t m = 0; m < metrics_.size(); ++m) row[m].add(rank, metrics_[m].value(counters));
}

// The ranks that counted; empty where every rank did.
std::vector<int> RunCounts::ranks_for(int n_ranks) const {
  if (static_cast<int>(counted_ranks_.size()) == n_ranks) return {};
  std::vector<int> ranks = counted_ranks_;
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void RunCounts::finish(const CountRow& row, int n_ranks, std::map<std::string, core::OverRanks>& metrics) const {
  if (counted_ranks_.empty()) return;
  const std::vector<int> ranks = ranks_for(n_ranks);
  for (size_t m = 0; m < metrics_.size(); ++m) {
    const core::OverRanksBuilder none;
    metrics[metrics_[m].description.metric] = (m < row.size() ? row[m] : none).finish(n_ranks, ranks);
  }
}

void RunCounts::finish(int n_ranks, core::Run& run) const {
  if (!counted_ranks_.empty()) {
    run.counters = "papi";
    run.counters_reason = "events were asked for and counted";
    for (const counters::CountedMetric& metric : metrics_) run.counter_events.push_back(metric.description);
    run.counted_ranks = ranks_for(n_ranks);
  } else if (asked_for_) {
    run.counters_reason = "events were asked for, yet none could be counted";
  } else {
    run.counters_reason = "no events were asked for";
  }
  for (const auto& [problem, ranks] : problems_) {
    run.warnings.push_back("events were not or not all counted on " + ranks_text(ranks) + ": " + problem);
  }
  if (!other_events_.empty()) {
    run.warnings.push_back("counts of " + ranks_text(other_events_) +
                           " are left out: other events were counted there than on the first rank");
  }
  if (uncounted_threads_ > 0) {
    run.warnings.push_back(std::to_string(uncounted_threads_) +
                           " threads were not counted, or not to their end; what they did is in no count");
  }
  if (late_overflows_ > 0) {
    run.warnings.push_back(std::to_string(late_overflows_) +
                           " overflows of counters were not recorded; their counts are charged to the code after them");
  }
}

}  // namespace scalediag::merge
