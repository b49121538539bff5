#include "collector/merge/sites/countable_loop.h"

#include <algorithm>
#include <cmath>

#include "collector/merge/raw/raw_reader.h"
#include "collector/merge/run_scan.h"

namespace scalediag::merge {
namespace {

double difference(uint64_t from, uint64_t to) { return static_cast<double>(to) - static_cast<double>(from); }

uint64_t place_in_file(const RankRecord& record, uint64_t address) {
  if (record.modules.empty()) return address;
  for (const ModuleSpan& m : record.modules.rbegin()->second) {
    if (m.begin <= address && address < m.end) return address - m.load_bias;
  }
  return address;
}

double mpi_ticks_of(const RankRecord& record) {
  double ticks = 0;
  for (const auto& [key, totals] : record.operations) {
    if (key.thread_class == raw::kMainThread) ticks += static_cast<double>(totals.ticks);
  }
  return ticks;
}

}  // namespace

LoopOfRank loop_of_rank(const MainLoop& loop, const RankRecord& record) {
  LoopOfRank found;
  const raw::RepeatedCall* first = nullptr;
  for (const raw::RepeatedCall& call : record.repeated_calls) {
    const auto key = loop.sites.find(record, call);
    if (!key || loop.members.count(*key) == 0) continue;
    const raw::LoopSite site{call.operation, place_in_file(record, call.address), call.depth, call.calls};
    const bool is_first = *key == loop.first && first == nullptr;
    if (is_first) first = &call;
    found.plan.sites.insert(is_first ? found.plan.sites.begin() : found.plan.sites.end(), site);
  }
  const auto& start = record.point(raw::Phase::kInitEnd);
  const auto& finalize = record.point(raw::Phase::kFinalizeBegin);
  const auto& end = finalize ? finalize : record.last_point;
  if (first == nullptr || !start || !end) return {};
  found.plan.by_visits = loop.first_by_visits;
  found.plan.rounds = loop.first_by_visits ? first->visits : first->calls;

  const double mpi = mpi_ticks_of(record);
  const double before_mpi = static_cast<double>(first->begin_mpi_ticks);
  const double loop_mpi = static_cast<double>(first->end_mpi_ticks) - before_mpi;
  const double all = difference(start->ticks, end->ticks) - mpi;
  const double before = difference(start->ticks, first->first_begin_ticks) - before_mpi;
  const double rounds = static_cast<double>(found.plan.rounds) - 1;  // between the first and the last call
  const double round = (difference(first->first_begin_ticks, first->last_end_ticks) - loop_mpi) / rounds;
  const double after = difference(first->last_end_ticks, end->ticks) - (mpi - before_mpi - loop_mpi);
  if (!(all > 0) || !(round > 0)) return {};
  found.plan.head = std::clamp(difference(first->begin_ticks, first->first_begin_ticks) / round, 0.0, 1.0);
  found.plan.tail = std::clamp(after / round, 0.0, 1.0);
  found.before = std::clamp(before / all, 0.0, 1.0);
  found.round = std::clamp(round / all, 0.0, 1.0);
  found.plan.behind = std::clamp((after - round) / all, 0.0, 1.0);
  return found;
}

LoopOfRank own_loop_of_rank(const RankRecord& record) {
  MainLoopFinder finder;
  finder.add(record);
  return loop_of_rank(finder.find(), record);
}

core::Result<CountableLoop> countable_loop(const core::ExperimentFolder& folder, const core::RunEntry& entry,
                                           const std::vector<int>& ranks) {
  const auto scan = scan_run(folder, entry);
  if (!scan) return scan.error();
  CountableLoop found;
  found.why_not = scan.value().main_loop.why_not;
  found.ranks.resize(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<size_t>(ranks[i]);
    const int file_of_rank = rank < scan.value().file_of_rank.size() ? scan.value().file_of_rank[rank] : -1;
    if (file_of_rank < 0) continue;
    const RawFile file = read_raw_file(scan.value().files[static_cast<size_t>(file_of_rank)], ReadScope::kTotals);
    for (const RankRecord& record : file.records) {
      if (record.rank != rank || !record.identity) continue;
      const MainLoop& shared = scan.value().main_loop;
      found.ranks[i] = shared.members.empty() ? own_loop_of_rank(record) : loop_of_rank(shared, record);
    }
  }
  if (std::ranges::any_of(found.ranks, [](const LoopOfRank& r) { return r.plan.rounds == 0; })) {
    const bool is_told = !found.why_not.empty();
    return CountableLoop{{}, is_told ? found.why_not : "a rank lacks the calls of MPI at which iterations begin"};
  }
  return found;
}

uint64_t rounds_with_all_calls(const raw::CountedLoop& plan) {
  uint64_t most = 0;
  for (const raw::LoopSite& site : plan.sites) {
    if (site.calls >= plan.rounds || site.calls == 0) continue;
    // The first round is counted apart, and the distance may be one round longer than the mean.
    most = std::max(most, (plan.rounds + site.calls - 1) / site.calls + 1);
  }
  return most;
}

uint64_t period_of_calls(const raw::CountedLoop& plan) {
  constexpr uint64_t kLongest = 8;
  const auto rounds = static_cast<double>(plan.rounds);
  for (uint64_t period = 1; period <= kLongest; ++period) {
    const bool fits = std::ranges::all_of(plan.sites, [&](const raw::LoopSite& site) {
      if (site.calls >= plan.rounds || 4 * site.calls < plan.rounds) return true;
      const double calls = static_cast<double>(site.calls * period) / rounds;
      return std::abs(calls - std::round(calls)) < 0.1;
    });
    if (fits) return period;
  }
  return 1;
}

}  // namespace scalediag::merge
