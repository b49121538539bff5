#include "collector/merge/region_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "collector/merge/operation_table.h"
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
  bool is_parallel = false;
  double busy_s = 0, thread_s = 0, slowest_s = 0, busy_cpu_s = 0;
  uint32_t most_threads = 0;
  bool has_unseen_tasks = false;
};

// Without the character that ends a part of a path.
std::string as_part_of_path(std::string name) {
  std::replace(name.begin(), name.end(), '/', '|');
  return name;
}

void add_threads(const raw::ParallelRegion& r, double tick, Totals& t) {
  t.is_parallel = true;
  t.busy_s += static_cast<double>(r.busy_ticks) * tick;
  t.thread_s += static_cast<double>(r.thread_ticks) * tick;
  t.slowest_s += static_cast<double>(r.slowest_ticks) * tick;
  t.busy_cpu_s += static_cast<double>(r.busy_cpu_ns) * 1e-9 + static_cast<double>(r.unread_ticks) * tick;
  t.most_threads = std::max(t.most_threads, r.most_threads);
  t.has_unseen_tasks = t.has_unseen_tasks || r.has_unseen_tasks != 0;
}

constexpr const char* kUnseenTasks =
    "idle time is an upper bound: what threads that wait compute in some of its tasks is not seen";

}  // namespace

void RegionTable::add(const RankRecord& record, const std::map<uint32_t, std::string>& parallel_names) {
  const double tick = seconds_per_tick(record);
  std::vector<std::string> paths;  // by number - 1, the region's own name included
  std::vector<Key> keys;
  std::map<Key, Totals> of_rank;
  double inside_s = 0, inside_mpi_s = 0;
  for (const raw::Region& r : record.regions) {
    const std::string parent = r.parent == 0 ? "" : paths[r.parent - 1];
    const auto known = parallel_names.find(r.number);
    const std::string name = known == parallel_names.end() ? r.name : as_part_of_path(known->second);
    paths.push_back(parent.empty() ? name : parent + "/" + name);
    keys.emplace_back(parent, name, r.source, r.thread_class != raw::kMainThread);
    if (r.count == 0) continue;
    Totals& t = of_rank[keys.back()];
    t.count += static_cast<double>(r.count);
    t.elapsed_s += static_cast<double>(r.ticks) * tick;
    t.cpu_s += static_cast<double>(r.cpu_ns) * 1e-9;
    t.communication_s += static_cast<double>(std::min(r.mpi_ticks, r.ticks)) * tick;
    t.open = t.open || r.open > 0;
    if (r.source != core::kOpenMp || r.thread_class != raw::kMainThread) continue;
    inside_s += static_cast<double>(r.ticks) * tick;
    inside_mpi_s += static_cast<double>(std::min(r.mpi_ticks, r.ticks)) * tick;
  }
  for (const raw::ParallelRegion& r : record.parallel_regions) {
    const auto of = of_rank.find(keys[r.region - 1]);
    if (of != of_rank.end()) add_threads(r, tick, of->second);
  }
  add_openmp(record, inside_s, inside_mpi_s);
  const int rank = static_cast<int>(record.rank);
  for (const auto& [key, t] : of_rank) {
    Row& row = rows_[key];
    row.count.add(rank, t.count);
    row.elapsed_s.add(rank, t.elapsed_s);
    row.cpu_s.add(rank, t.cpu_s);
    row.computation_s.add(rank, std::max(0.0, t.elapsed_s - t.communication_s));
    row.communication_s.add(rank, t.communication_s);
    row.ranks_open += t.open ? 1 : 0;
    if (!t.is_parallel) continue;
    row.is_parallel = true;
    row.busy_s.add(rank, t.busy_s);
    row.idle_s.add(rank, std::max(0.0, t.thread_s - t.busy_s));
    row.slowest_s.add(rank, t.slowest_s);
    row.busy_cpu_s.add(rank, t.busy_cpu_s);
    row.most_threads = std::max(row.most_threads, t.most_threads);
    row.has_unseen_tasks = row.has_unseen_tasks || t.has_unseen_tasks;
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

// Regions are recorded from the end of MPI_Init to the start of MPI_Finalize.
void RegionTable::add_openmp(const RankRecord& record, double inside_s, double inside_mpi_s) {
  has_parallel_ = has_parallel_ || !record.parallel_regions.empty();
  if (!has_clock_points(record)) return;
  const double mpi_s = std::max(0.0, main_thread_operations_s(record) - inside_mpi_s);
  const int rank = static_cast<int>(record.rank);
  inside_s_.add(rank, inside_s);
  outside_mpi_s_.add(rank, mpi_s);
  outside_s_.add(rank, std::max(0.0, length_of_window_s(record) - inside_s - mpi_s));
}

std::optional<core::OpenMpTimes> RegionTable::openmp(int n_ranks) const {
  if (!has_parallel_) return std::nullopt;
  return core::OpenMpTimes{inside_s_.finish(n_ranks), outside_s_.finish(n_ranks), outside_mpi_s_.finish(n_ranks)};
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
    if (row.is_parallel) {
      constexpr uint32_t kMostThreads = 1 << 20;
      region.parallel = core::ParallelThreads{static_cast<int>(std::min(row.most_threads, kMostThreads)),
                                              row.busy_s.finish(n_ranks), row.idle_s.finish(n_ranks),
                                              row.slowest_s.finish(n_ranks), row.busy_cpu_s.finish(n_ranks)};
      if (row.has_unseen_tasks) region.note += (region.note.empty() ? "" : "; ") + std::string(kUnseenTasks);
    }
    for (const auto& [name, p] : row.parameters) region.parameters[name] = {p.n, p.sum / p.n, p.min, p.max};
    regions.push_back(std::move(region));
  }
  const auto path = [](const core::Region& r) { return r.parent.empty() ? r.name : r.parent + "/" + r.name; };
  std::ranges::stable_sort(regions, [&](const core::Region& a, const core::Region& b) { return path(a) < path(b); });
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
