#include "collector/merge/memory_and_files.h"

#include <algorithm>

#include "collector/merge/rank_times.h"

namespace scalediag::merge {

void MemoryAndFiles::Totals::add(const Totals& other) {
  calls += other.calls;
  bytes += other.bytes;
  ticks += other.ticks;
}

MemoryAndFiles::Totals MemoryAndFiles::Totals::without(const Totals& part) const {
  return {calls - std::min(calls, part.calls), bytes - std::min(bytes, part.bytes),
          ticks - std::min(ticks, part.ticks)};
}

void MemoryAndFiles::add(int rank, const Totals& totals, double tick, SiteRow& to) {
  to.calls.add(rank, static_cast<double>(totals.calls));
  to.bytes.add(rank, static_cast<double>(totals.bytes));
  to.time_s.add(rank, static_cast<double>(totals.ticks) * tick);
}

void MemoryAndFiles::add(const RankRecord& record, SiteResolver& resolver) {
  const int rank = static_cast<int>(record.rank);
  const auto peak = record.memory ? static_cast<double>(record.memory->peak_resident_bytes) : 0;
  peak_is_known_ = peak_is_known_ && peak > 0;
  peak_.add(rank, peak);
  peak_of_host_[record.identity->host] += peak;
  const double tick = seconds_per_tick(record);
  // Several recorded places may be one in the source, and a rank is added once to a row.
  std::map<std::string, std::map<core::CallSite, Totals>> sites;
  for (const auto& [number, p] : record.file_places) {
    sites[p.place.function][resolver.site_of_file(p.place)].add({p.totals.calls, p.totals.bytes, p.totals.ticks});
  }
  for (const raw::FileTotals& f : record.files) {
    Row& row = rows_[f.function];
    const Totals totals{f.calls, f.bytes, f.ticks};
    add(rank, totals, tick, row);
    if (record.file_places.empty()) continue;  // as in files of older versions
    Totals placed;
    auto& of_function = sites[f.function];
    for (const auto& [site, part] : of_function) placed.add(part);
    const Totals rest = totals.without(placed);
    if (rest.calls > 0) of_function[{}].add(rest);
    for (const auto& [site, part] : of_function) add(rank, part, tick, row.sites[site]);
  }
}

void MemoryAndFiles::finish(int n_ranks, core::Run& run) const {
  if (peak_is_known_ && !peak_of_host_.empty()) {
    run.memory_peak_bytes = peak_.finish(n_ranks);
    for (const auto& [host, bytes] : peak_of_host_) {
      run.memory_peak_node_bytes = std::max(run.memory_peak_node_bytes.value_or(0), bytes);
    }
  }
  // The sorts are stable: rows are by name, sites by their place.
  const auto takes_longer = [](const auto& a, const auto& b) { return a.time_s.mean > b.time_s.mean; };
  for (const auto& [function, row] : rows_) {
    core::FileOperation& o = run.files.emplace_back(core::FileOperation{
        function, row.calls.finish(n_ranks), row.bytes.finish(n_ranks), row.time_s.finish(n_ranks), {}});
    for (const auto& [site, totals] : row.sites) {
      o.sites.push_back(
          {site, totals.calls.finish(n_ranks), totals.bytes.finish(n_ranks), totals.time_s.finish(n_ranks)});
    }
    std::ranges::stable_sort(o.sites, takes_longer);
  }
  std::ranges::stable_sort(run.files, takes_longer);
}

}  // namespace scalediag::merge
