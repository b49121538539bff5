#include "collector/merge/run_counts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/text/formatted.h"
#include "core/text/numbers.h"

namespace scalediag::merge {
namespace {

std::string ranks_text(const std::vector<int>& ranks) {
  const int first = *std::ranges::min_element(ranks);
  if (ranks.size() == 1) return "rank " + std::to_string(first);
  return std::to_string(ranks.size()) + " ranks, the first is rank " + std::to_string(first);
}

}  // namespace

RunCounts::RunCounts(std::vector<std::string> events, bool each_overflows)
    : events_(std::move(events)), metrics_(counters::metrics_of(events_)), each_overflows_(each_overflows) {
  if (!each_overflows_) return;
  for (const std::string& event : events_) sampled_.push_back({event, 0, 0, 0});
}

void RunCounts::begin_rank(const RankRecord& record) {
  const int rank = static_cast<int>(record.rank);
  const bool is_alike =
      record.identity && record.identity->counters == events_ && record.overflows.empty() == !each_overflows_;
  counted_ = !events_.empty() && is_alike;
  if (counted_) counted_ranks_.push_back(rank);
  if (counted_ && each_overflows_) weigh(record);
  if (record.identity && !is_alike) other_events_.push_back(rank);
  if (!record.counting) return;
  asked_for_ = true;
  late_overflows_ += record.counting->late_overflows;
  uncounted_threads_ += record.counting->uncounted_threads;
  if (!record.counting->problem.empty()) problems_[record.counting->problem].push_back(rank);
}

void RunCounts::weigh(const RankRecord& record) {
  std::vector<double> charged(events_.size());
  for (const auto& [key, totals] : record.samples) {
    for (size_t e = 0; e < charged.size(); ++e) charged[e] += static_cast<double>(totals.counters[e]);
  }
  weights_.assign(events_.size(), 1.0);
  resolutions_.assign(events_.size(), 0.0);
  for (size_t e = 0; e < events_.size(); ++e) {
    const auto period = static_cast<double>(record.overflows[e].period);
    const auto counted = static_cast<double>(record.overflows[e].counted);
    if (!(period > 0)) continue;
    if (charged[e] > 0 && counted > 0) weights_[e] = counted / charged[e];
    resolutions_[e] = charged[e] > 0 ? period * weights_[e] : std::max(period, counted);
    sampled_[e].period = period;
    sampled_[e].overflows += charged[e] / period;
    sampled_[e].counted += counted;
  }
  threads_ += std::max(1U, record.losses.threads);
}

void RunCounts::add(int rank, const std::vector<double>& counters, CountRow& row) const {
  if (!counted_) return;
  row.resize(metrics_.size());
  std::vector<double> counts = counters;
  for (size_t e = 0; e < std::min(counts.size(), weights_.size()); ++e) counts[e] *= weights_[e];
  for (size_t m = 0; m < metrics_.size(); ++m) {
    row[m].value.add(rank, metrics_[m].value(counts));
    if (!each_overflows_) continue;
    double resolution = 0;
    for (const auto& [event, factor] : metrics_[m].terms) {
      const double of_overflow = std::abs(factor) * resolutions_[event];
      resolution = std::max(resolution, of_overflow);
      if (event < counts.size()) row[m].variance += std::abs(factor) * counts[event] * of_overflow;
    }
    row[m].resolution = std::max(row[m].resolution, resolution);
  }
}

// The ranks that counted; empty where every rank did.
std::vector<int> RunCounts::ranks_for(int n_ranks) const {
  if (static_cast<int>(counted_ranks_.size()) == n_ranks) return {};
  std::vector<int> ranks = counted_ranks_;
  std::ranges::sort(ranks);
  return ranks;
}

void RunCounts::finish(const CountRow& row, int n_ranks, std::map<std::string, core::OverRanks>& metrics) const {
  if (counted_ranks_.empty()) return;
  const std::vector<int> ranks = ranks_for(n_ranks);
  for (size_t m = 0; m < metrics_.size(); ++m) {
    const core::OverRanksBuilder none;
    metrics[metrics_[m].description.metric] = (m < row.size() ? row[m].value : none).finish(n_ranks, ranks);
  }
}

std::map<std::string, double> RunCounts::standard_errors(const CountRow& row, int n_ranks) const {
  std::map<std::string, double> errors;
  if (!each_overflows_ || counted_ranks_.empty()) return errors;
  const double ranks_each = static_cast<double>(n_ranks) / static_cast<double>(counted_ranks_.size());
  for (size_t m = 0; m < std::min(row.size(), metrics_.size()); ++m) {
    // Without an overflow the count is at most about what one of them stands for.
    const double error = row[m].variance > 0 ? std::sqrt(row[m].variance) : row[m].resolution;
    if (error > 0) errors[metrics_[m].description.metric] = ranks_each * error;
  }
  return errors;
}

void RunCounts::describe_overflows(core::Run& run) const {
  // All threads together may have so many overflows less than periods: the last one of each did not come.
  constexpr double kTolerable = 0.05;
  for (const core::SampledEvent& event : sampled_) {
    if (!(event.period > 0)) continue;
    run.sampled_events.push_back(event);
    const double expected = event.counted / event.period;
    if (!(event.overflows > 0) && event.counted > 0) {
      run.warnings.push_back(event.event + " never overflowed, for it counted only " + core::to_text(event.counted) +
                             " in the run: nothing is charged to any function");
    } else if (expected - event.overflows > kTolerable * expected + static_cast<double>(threads_)) {
      const std::string text = core::formatted("%.0f of %.0f", event.overflows, expected);
      run.warnings.push_back(std::string("only ") + text + " expected overflows of " + event.event +
                             " arrived: its counts were scaled to the exact total, and functions in which overflows "
                             "were lost have less than their part");
    }
  }
}

void RunCounts::finish(int n_ranks, core::Run& run) const {
  if (!counted_ranks_.empty()) {
    run.counters = "papi";
    run.counters_reason = "events were asked for and counted";
    for (const counters::CountedMetric& metric : metrics_) run.counter_events.push_back(metric.description);
    run.counted_ranks = ranks_for(n_ranks);
    const auto is_hardware = [](const std::string& event) { return event.rfind("sde:::", 0) != 0; };
    if (std::ranges::any_of(events_, is_hardware)) run.counter_method = each_overflows_ ? "events" : "cycles";
    describe_overflows(run);
  } else if (asked_for_) {
    run.counters_reason = "events were asked for, yet none could be counted";
  } else {
    run.counters_reason = "no events were asked for";
  }
  for (const auto& [problem, ranks] : problems_) {
    run.warnings.push_back("events were not or not all counted on " + ranks_text(ranks) + ": " + problem);
  }
  if (!other_events_.empty()) {
    run.warnings.push_back(
        "counts of " + ranks_text(other_events_) +
        " are left out: other events were counted there than on the first rank, or charged in another way");
  }
  if (uncounted_threads_ > 0) {
    run.warnings.push_back(std::to_string(uncounted_threads_) +
                           " threads were not counted, or not to their end; what they did is in no count");
  }
  if (late_overflows_ > 0) {
    run.warnings.push_back(
        std::to_string(late_overflows_) +
        (each_overflows_ ? " overflows of counters were not recorded; the others count for them"
                         : " overflows of counters were not recorded; their counts are charged to the code after "
                           "them"));
  }
}

}  // namespace scalediag::merge
