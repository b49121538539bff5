#include "collector/merge/region_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "collector/merge/rank_times.h"
#include "core/text/numbers.h"

namespace scalediag::merge {
namespace {

// 0 for what is no number.
double number_of(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? value : 0;
}

struct Totals {
  double count = 0, elapsed_s = 0, cpu_s = 0, communication_s = 0;
  bool open = false;
};

}  // namespace

void RegionTable::add(const RankRecord& record) {
  const double tick = seconds_per_tick(record);
  std::vector<std::string> paths;  // by number - 1, the region's own name included
  std::vector<Key> keys;
  std::map<Key, Totals> of_rank;
  for (const raw::Region& r : record.regions) {
    const std::string parent = r.parent == 0 ? "" : paths[r.parent - 1];
    paths.push_back(parent.empty() ? r.name : parent + "/" + r.name);
    keys.emplace_back(parent, r.name, r.source, r.thread_class != raw::kMainThread);
    if (r.count == 0) continue;
    Totals& t = of_rank[keys.back()];
    t.count += static_cast<double>(r.count);
    t.elapsed_s += static_cast<double>(r.ticks) * tick;
    t.cpu_s += static_cast<double>(r.cpu_ns) * 1e-9;
    t.communication_s += static_cast<double>(std::min(r.mpi_ticks, r.ticks)) * tick;
    t.open = t.open || r.open > 0;
  }
  const int rank = static_cast<int>(record.rank);
  for (const auto& [key, t] : of_rank) {
    Row& row = rows_[key];
    row.count.add(rank, t.count);
    row.elapsed_s.add(rank, t.elapsed_s);
    row.cpu_s.add(rank, t.cpu_s);
    row.computation_s.add(rank, std::max(0.0, t.elapsed_s - t.communication_s));
    row.communication_s.add(rank, t.communication_s);
    row.ranks_open += t.open ? 1 : 0;
  }
  for (const raw::RegionParameter& p : record.region_parameters) {
    const auto row = rows_.find(keys[p.region - 1]);
    if (row == rows_.end() || p.n == 0) continue;
    const auto [known, is_new] = row->second.parameters.try_emplace(p.name);
    Parameter& all = known->second;
    const double least = number_of(p.least), most = number_of(p.most);
    all.min = is_new ? least : std::min(all.min, least);
    all.max = is_new ? most : std::max(all.max, most);
    all.n += static_cast<double>(p.n);
    all.sum += number_of(p.sum);
  }
  ends_without_begin_ += static_cast<double>(record.region_problems.ends_without_begin);
  dropped_ += static_cast<double>(record.region_problems.dropped);
  if (first_without_begin_.empty()) first_without_begin_ = record.region_problems.first_without_begin;
}

std::vector<core::Region> RegionTable::finish(int n_ranks) const {
  std::vector<core::Region> regions;
  for (const auto& [key, row] : rows_) {
    core::Region region;
    std::tie(region.parent, region.name, region.source, region.of_other_threads) = key;
    region.count = row.count.finish(n_ranks);
    region.elapsed_s = row.elapsed_s.finish(n_ranks);
    region.cpu_s = row.cpu_s.finish(n_ranks);
    region.computation_s = row.computation_s.finish(n_ranks);
    region.communication_s = row.communication_s.finish(n_ranks);
    if (row.ranks_open > 0) {
      region.note = "entered and not left on " + std::to_string(row.ranks_open) +
                    (row.ranks_open == 1 ? " rank" : " ranks") + " when MPI ended: it counts until then";
    }
    for (const auto& [name, p] : row.parameters) region.parameters[name] = {p.n, p.sum / p.n, p.min, p.max};
    regions.push_back(std::move(region));
  }
  const auto path = [](const core::Region& r) { return r.parent.empty() ? r.name : r.parent + "/" + r.name; };
  std::stable_sort(regions.begin(), regions.end(),
                   [&](const core::Region& a, const core::Region& b) { return path(a) < path(b); });
  return regions;
}

std::vector<std::string> RegionTable::warnings() const {
  std::vector<std::string> all;
  if (ends_without_begin_ > 0) {
    all.push_back(core::to_text(ends_without_begin_) + " ends of regions without a beginning are left out" +
                  (first_without_begin_.empty() ? "" : ", the first of them of " + first_without_begin_));
  }
  if (dropped_ > 0) {
    all.push_back(core::to_text(dropped_) +
                  " times a region was entered, or a number given for it, for which there was "
                  "no room: it is in none of the regions' numbers");
  }
  return all;
}

}  // namespace scalediag::merge
