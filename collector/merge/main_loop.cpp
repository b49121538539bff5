#include "collector/merge/main_loop.h"

#include <algorithm>
#include <limits>

#include "collector/merge/rank_times.h"
#include "core/text/quantities.h"

namespace scalediag::merge {
namespace {

double seconds_of_ticks(uint64_t from, uint64_t to, double tick) {
  return to >= from ? static_cast<double>(to - from) * tick : -static_cast<double>(from - to) * tick;
}

constexpr double kMillionths = 1e-6;
constexpr double kLongGap = 1.5;  // rounds

}  // namespace

SharedSites::Place SharedSites::place_of(const RankRecord& record, const raw::RepeatedCall& call) {
  Place place{operation_name(record, call.operation), "", 0};
  if (record.modules.empty()) return place;
  for (const ModuleSpan& m : record.modules.rbegin()->second) {
    if (m.begin > call.address || call.address >= m.end) continue;
    std::get<1>(place) = m.path;
    std::get<2>(place) = call.address - m.load_bias;
  }
  return place;  // code that was made at run time is known by its routine and its depth alone
}

const std::pair<uint64_t, SharedSites::Id>* SharedSites::nearest(const std::vector<std::pair<uint64_t, Id>>& sites,
                                                                 uint64_t depth) {
  const std::pair<uint64_t, Id>* best = nullptr;
  const auto distance = [depth](uint64_t other) { return other > depth ? other - depth : depth - other; };
  for (const auto& site : sites) {
    if (distance(site.first) > kNear) continue;
    if (best == nullptr || distance(site.first) < distance(best->first)) best = &site;
  }
  return best;
}

SharedSites::Id SharedSites::add(const RankRecord& record, const raw::RepeatedCall& call) {
  auto& sites = sites_[place_of(record, call)];
  if (const auto* known = nearest(sites, call.depth)) return known->second;
  sites.emplace_back(call.depth, n_);
  return n_++;
}

std::optional<SharedSites::Id> SharedSites::find(const RankRecord& record, const raw::RepeatedCall& call) const {
  const auto sites = sites_.find(place_of(record, call));
  if (sites == sites_.end()) return std::nullopt;
  const auto* known = nearest(sites->second, call.depth);
  return known != nullptr ? std::optional(known->second) : std::nullopt;
}

void SharedSites::locate(Id id, LoopSite& site) const {
  for (const auto& [place, sites] : sites_) {
    const auto at = std::ranges::find(sites, id, &std::pair<uint64_t, Id>::second);
    if (at == sites.end()) continue;
    std::tie(site.operation, site.module, site.address) = place;
    site.depth = sites.size() > 1 ? at->first : 0;
  }
}

void MainLoopFinder::add(const RankRecord& record) {
  ++ranks_;
  const double tick = seconds_per_tick(record);
  const auto& start = record.point(raw::Phase::kInitEnd);
  if (!start || !(tick > 0)) return;
  const auto& end =
      record.point(raw::Phase::kFinalizeBegin) ? record.point(raw::Phase::kFinalizeBegin) : record.last_point;
  if (end) run_s_ += seconds_of_ticks(start->ticks, end->ticks, tick);
  std::set<SharedSites::Id> seen;
  for (const raw::RepeatedCall& call : record.repeated_calls) {
    const SharedSites::Id key = shared_.add(record, call);
    if (!seen.insert(key).second) continue;
    Site& site = sites_[key];
    if (++site.ranks == 1) {
      site.calls = call.calls;
      site.visits = call.visits;
      site.depth = call.depth;
    }
    site.calls_agree = site.calls_agree && site.calls == call.calls;
    site.visits_agree = site.visits_agree && site.visits == call.visits;
    site.evenness_of_calls += kMillionths * static_cast<double>(call.evenness_of_calls);
    site.evenness_of_visits += kMillionths * static_cast<double>(call.evenness_of_visits);
    site.first_s += seconds_of_ticks(start->ticks, call.first_begin_ticks, tick);
    site.last_s += seconds_of_ticks(start->ticks, call.last_end_ticks, tick);
  }
}

bool MainLoopFinder::has_even_visits(const Site& site) {
  return site.visits_agree && site.visits >= kFewestRounds && site.evenness_of_visits / site.ranks >= kEven;
}

uint64_t MainLoopFinder::rounds_of(const Site& site) {
  if (has_even_visits(site)) return site.visits;
  const bool is_even = site.evenness_of_calls / site.ranks >= kEven;
  if (site.calls_agree && site.calls >= kFewestRounds && is_even) return site.calls;
  return 0;
}

MainLoop MainLoopFinder::find() const {
  MainLoop loop;
  const auto is_shared = [this](const Site& site) { return site.ranks == ranks_; };
  const auto span = [](const Site& site) { return (site.last_s - site.first_s) / site.ranks; };
  double longest_s = 0;
  bool any_shared = false;
  for (const auto& [key, site] : sites_) {
    if (!is_shared(site)) continue;
    any_shared = true;
    if (rounds_of(site) > 0) longest_s = std::max(longest_s, span(site));
  }
  if (!(longest_s > 0)) {
    loop.site.why_not = any_shared ? "no call of MPI comes again and again at even distances on all ranks"
                                   : "no place in the program calls MPI again and again on all ranks";
    return loop;
  }
  if (longest_s < kLeastShare * run_s_ / ranks_) {
    loop.site.why_not = "the calls of MPI that come again and again at even distances on all ranks span less than " +
                        core::spaced_percent(kLeastShare, 0) + " of the run";
    return loop;
  }
  const auto is_long = [&](const Site& site) {
    return is_shared(site) && rounds_of(site) > 0 && span(site) >= kMuch * longest_s;
  };
  uint64_t nearest = std::numeric_limits<uint64_t>::max();
  for (const auto& [key, site] : sites_) {
    if (is_long(site)) nearest = std::min(nearest, site.depth);
  }
  const Site* anchor = nullptr;
  for (const auto& [key, site] : sites_) {
    if (!is_long(site) || site.depth > nearest + kLevel) continue;
    if (anchor != nullptr && rounds_of(site) <= rounds_of(*anchor)) continue;
    anchor = &site;
    loop.anchor = key;
  }
  loop.sites = shared_;
  loop.iterations = rounds_of(*anchor);
  loop.round_s = span(*anchor) / static_cast<double>(loop.iterations - 1);
  const double round_of_ranks_s = kLongGap * loop.round_s * ranks_;  // as sums over ranks are
  for (const auto& [key, site] : sites_) {
    if (!is_shared(site) || span(site) < 0.5 * span(*anchor)) continue;
    const bool within =
        site.first_s >= anchor->first_s - round_of_ranks_s && site.last_s <= anchor->last_s + round_of_ranks_s;
    if (within) loop.members.insert(key);
  }
  loop.members.insert(loop.anchor);
  SharedSites::Id first = loop.anchor;
  double last_s = 0;
  for (const SharedSites::Id member : loop.members) {
    const Site& site = sites_.at(member);
    last_s = std::max(last_s, site.last_s);
    if (rounds_of(site) == loop.iterations && site.first_s < sites_.at(first).first_s) first = member;
  }
  shared_.locate(first, loop.site);
  loop.site.rounds = loop.iterations;
  loop.site.is_visited = has_even_visits(sites_.at(first));
  if (run_s_ > 0) loop.site.after = std::max(0.0, 1 - last_s / run_s_);
  return loop;
}

void MainLoopTimes::add(const RankRecord& record) {
  if (loop_.members.empty()) return;
  const double tick = seconds_per_tick(record);
  const raw::RepeatedCall* first = nullptr;
  const raw::RepeatedCall* last = nullptr;
  for (const raw::RepeatedCall& call : record.repeated_calls) {
    const auto key = loop_.sites.find(record, call);
    if (!key || loop_.members.count(*key) == 0) continue;
    if (*key == loop_.anchor && operation_.empty()) operation_ = operation_name(record, call.operation);
    if (first == nullptr || call.begin_ticks < first->begin_ticks) first = &call;
    if (last == nullptr || call.last_end_ticks > last->last_end_ticks) last = &call;
  }
  if (first == nullptr) return;
  const double before_s = seconds_of_ticks(first->begin_ticks, first->first_begin_ticks, tick);
  const double after_s = seconds_of_ticks(last->last_end_ticks, last->end_ticks, tick);
  // The call may stand anywhere in the loop: what is before its first and after its last time is one round together.
  double left_out_s = 0;
  if (std::max(before_s, after_s) > kLongGap * loop_.round_s) {
    const double taken_before_s = std::min(before_s, loop_.round_s);
    const double taken_after_s = std::min(after_s, loop_.round_s - taken_before_s);
    left_out_s = before_s - taken_before_s + after_s - taken_after_s;
  }
  const double elapsed_s = seconds_of_ticks(first->begin_ticks, last->end_ticks, tick) - left_out_s;
  const double mpi_s = seconds_of_ticks(first->begin_mpi_ticks, last->end_mpi_ticks, tick);
  const double cpu_s = (static_cast<double>(last->end_cpu_ns) - static_cast<double>(first->begin_cpu_ns)) * 1e-9;
  // What is left out had the core for the same part of its time as the rest, as far as is known.
  const double kept = elapsed_s > 0 ? elapsed_s / (elapsed_s + left_out_s) : 0;
  const int rank = static_cast<int>(record.rank);
  elapsed_s_.add(rank, std::max(0.0, elapsed_s));
  communication_s_.add(rank, std::clamp(mpi_s, 0.0, std::max(0.0, elapsed_s)));
  computation_s_.add(rank, std::max(0.0, elapsed_s - mpi_s));
  cpu_s_.add(rank, std::max(0.0, cpu_s * kept));
  count_.add(rank, static_cast<double>(loop_.iterations));
}

std::optional<core::Region> MainLoopTimes::finish(int n_ranks) const {
  if (loop_.members.empty()) return std::nullopt;
  core::Region region;
  region.name = core::kMainLoop;
  region.source = "MPI calls";
  region.note = "an estimate; its iterations are rounds of a call of " + operation_;
  region.rounds_of = operation_;
  region.count = count_.finish(n_ranks);
  region.elapsed_s = elapsed_s_.finish(n_ranks);
  region.cpu_s = cpu_s_.finish(n_ranks);
  region.computation_s = computation_s_.finish(n_ranks);
  region.communication_s = communication_s_.finish(n_ranks);
  return region;
}

}  // namespace scalediag::merge
