#include "collector/merge/operation_table.h"

#include <algorithm>
#include <cmath>

#include "collector/merge/rank_times.h"
#include "core/mpi_routines.h"

namespace scalediag::merge {
double main_thread_operations_s(const RankRecord& record) {
  const double tick = seconds_per_tick(record);
  double sum = 0;
  for (const auto& [key, totals] : record.operations) {
    if (key.thread_class == raw::kMainThread) sum += static_cast<double>(totals.ticks) * tick;
  }
  return sum;
}

void OperationTable::Sums::add(const OperationTotals& totals, bool on_main_thread, double tick) {
  const double wall = static_cast<double>(totals.ticks) * tick;
  calls += static_cast<double>(totals.calls);
  bytes += static_cast<double>(totals.bytes);
  wall_s += wall;
  if (on_main_thread) main_wall_s += wall;
  longest_call_s = std::max(longest_call_s, static_cast<double>(totals.max_ticks) * tick);
}

void OperationTable::Sums::add(const Sums& other) {
  calls += other.calls;
  bytes += other.bytes;
  wall_s += other.wall_s;
  main_wall_s += other.main_wall_s;
  blocked_s += other.blocked_s;
  longest_call_s = std::max(longest_call_s, other.longest_call_s);
}

void OperationTable::add(const RankRecord& record, const SamplesByOperation& samples, SiteResolver& sites) {
  const double tick = seconds_per_tick(record);
  std::map<ClassKey, std::map<uint32_t, Sums>> by_class;
  for (const auto& [key, totals] : record.operations) {
    const std::string name = operation_name(record, key.operation);
    by_class[{name, key.communicator_size, key.size_bin}][raw::site_of(key.operation)].add(
        totals, key.thread_class == raw::kMainThread, tick);
  }

  const int rank = static_cast<int>(record.rank);
  struct Operation {
    Sums all;
    SumsBySite sites;
  };
  std::map<std::string, Operation> by_operation;
  for (const auto& [name, sampled] : samples) by_operation[name];  // sampled before its first call was counted
  for (const auto& [key, sums_by_site] : by_class) {
    const auto& [name, communicator_size, size_bin] = key;
    const auto shortest = shortest_call_s_.find(key);
    const double least = shortest != shortest_call_s_.end() ? shortest->second : 0;
    const bool waits = mpi::can_wait(name);
    Operation& operation = by_operation[name];
    Sums all;
    for (const auto& [number, sums_of_site] : sums_by_site) {
      Sums sums = sums_of_site;
      sums.blocked_s = waits ? std::max(0.0, sums.wall_s - sums.calls * least) : 0;
      all.add(sums);
      SiteSums& site = operation.sites[number];
      site.all.add(sums);
      site.classes[{communicator_size, size_bin}].add(sums);
    }
    operation.all.add(all);
    add_class(rank, all, rows_[name].classes[{communicator_size, size_bin}]);
  }
  for (const auto& [name, operation] : by_operation) {
    const auto found = samples.find(name);
    const OperationSamples sampled = found != samples.end() ? found->second : OperationSamples{};
    const bool is_other = name == kMpiOtherName;
    const Sums& sums = operation.all;
    const double time_s = time_of(sums, sampled, is_other);
    Row& row = rows_[name];
    row.calls.add(rank, sums.calls);
    row.bytes.add(rank, sums.bytes);
    row.time_s.add(rank, time_s);
    row.wall_s.add(rank, is_other ? sampled.cpu_s : sums.wall_s);
    row.cpu_s.add(rank, sampled.cpu_s);
    row.blocked_s.add(rank, sums.blocked_s);
    row.samples += sampled.samples;
    counts_.add(rank, sampled.counters, row.counts);
    if (row.slowest.rank < 0 || time_s > row.slowest.time_s) row.slowest = {rank, sums.calls, sums.bytes, time_s};
    // Files of older versions have no sites.
    if (!record.call_sites.empty() && !is_other) add_sites(rank, row, operation.sites, sampled, sites);
  }
}

void OperationTable::add_class(int rank, const Sums& sums, ClassRow& to) {
  to.calls.add(rank, sums.calls);
  to.bytes.add(rank, sums.bytes);
  to.wall_s.add(rank, sums.wall_s);
  to.blocked_s.add(rank, sums.blocked_s);
  to.longest_call_s = std::max(to.longest_call_s, sums.longest_call_s);
}

double OperationTable::time_of(const Sums& sums, const SiteSamples& sampled, bool is_other) const {
  // The duration of time outside intercepted routines was not measured; its CPU time is taken instead.
  if (clock_ == core::Clock::kCpu) return sampled.cpu_s;
  return is_other ? sampled.main_cpu_s : sums.main_wall_s;
}

void OperationTable::add_sites(int rank, Row& row, const SumsBySite& sums, const OperationSamples& sampled,
                               SiteResolver& sites) const {
  // Several recorded sites may be one place in the source, and a rank is added once to a row.
  struct Part {
    SiteSums sums;
    SiteSamples sampled;
  };
  std::map<core::CallSite, Part> parts;
  for (const auto& [number, s] : sums) {
    SiteSums& to = parts[sites.site(number)].sums;
    to.all.add(s.all);
    for (const auto& [key, of_class] : s.classes) to.classes[key].add(of_class);
  }
  for (const auto& [number, s] : sampled.sites) {
    SiteSamples& to = parts[sites.site(number)].sampled;
    to.samples += s.samples;
    to.cpu_s += s.cpu_s;
    to.main_cpu_s += s.main_cpu_s;
  }
  for (const auto& [place, part] : parts) {
    SiteRow& to = row.sites[place];
    const Sums& all = part.sums.all;
    to.calls.add(rank, all.calls);
    to.bytes.add(rank, all.bytes);
    to.time_s.add(rank, time_of(all, part.sampled, false));
    to.wall_s.add(rank, all.wall_s);
    to.blocked_s.add(rank, all.blocked_s);
    for (const auto& [key, of_class] : part.sums.classes) add_class(rank, of_class, to.classes[key]);
    to.samples += part.sampled.samples;
  }
}

std::vector<core::MpiSite> OperationTable::finish_sites(const std::string& operation, const Row& row,
                                                        int n_ranks) const {
  std::vector<core::MpiSite> sites;
  for (const auto& [place, totals] : row.sites) {
    core::MpiSite& site = sites.emplace_back(core::MpiSite{place, {}, {}, {}, {}, {}, totals.samples, {}});
    site.calls = totals.calls.finish(n_ranks);
    site.bytes = totals.bytes.finish(n_ranks);
    site.time_s = totals.time_s.finish(n_ranks);
    site.wall_s = totals.wall_s.finish(n_ranks);
    site.blocked_s = totals.blocked_s.finish(n_ranks);
    site.classes = finish_classes(operation, totals.classes, n_ranks);
  }
  // The sort is stable: the map is by the place.
  std::ranges::stable_sort(sites, [](const core::MpiSite& a, const core::MpiSite& b) {
    return a.time_s.mean != b.time_s.mean ? a.time_s.mean > b.time_s.mean : a.wall_s.mean > b.wall_s.mean;
  });
  return sites;
}

std::vector<core::MpiClass> OperationTable::finish_classes(const std::string& operation, const ClassRows& rows,
                                                           int n_ranks) const {
  std::vector<core::MpiClass> classes;
  for (const auto& [key, row] : rows) {
    const auto& [communicator_size, size_bin] = key;
    core::MpiClass& c = classes.emplace_back();
    c.communicator_size = static_cast<int>(communicator_size);
    if (size_bin > 0) {
      c.bytes_from = std::ldexp(1.0, static_cast<int>(size_bin) - 1);
      c.bytes_to = std::ldexp(1.0, static_cast<int>(size_bin)) - 1;
    }
    c.calls = row.calls.finish(n_ranks);
    c.bytes = row.bytes.finish(n_ranks);
    c.wall_s = row.wall_s.finish(n_ranks);
    c.blocked_s = row.blocked_s.finish(n_ranks);
    const auto shortest = shortest_call_s_.find({operation, communicator_size, size_bin});
    c.longest_call_s = row.longest_call_s;
    // Of the operation at all its places. Not all polls are timed: those of a place may have no time at all.
    c.shortest_call_s = std::min(shortest != shortest_call_s_.end() ? shortest->second : 0, row.longest_call_s);
  }
  return classes;
}

std::vector<core::MpiOperation> OperationTable::finish(int n_ranks) const {
  std::vector<core::MpiOperation> operations;
  for (const auto& [name, row] : rows_) {
    core::MpiOperation o;
    o.operation = name;
    o.calls = row.calls.finish(n_ranks);
    o.bytes = row.bytes.finish(n_ranks);
    o.time_s = row.time_s.finish(n_ranks);
    o.wall_s = row.wall_s.finish(n_ranks);
    o.cpu_s = row.cpu_s.finish(n_ranks);
    o.blocked_s = row.blocked_s.finish(n_ranks);
    o.samples = row.samples;
    if (row.slowest.rank >= 0) o.slowest = row.slowest;
    o.sites = finish_sites(name, row, n_ranks);
    o.classes = finish_classes(name, row.classes, n_ranks);
    counts_.finish(row.counts, n_ranks, o.metrics);
    operations.push_back(std::move(o));
  }
  // The sort is stable: rows_ is by name.
  std::ranges::stable_sort(operations, [](const core::MpiOperation& a, const core::MpiOperation& b) {
    return a.time_s.mean > b.time_s.mean;
  });
  return operations;
}

}  // namespace scalediag::merge
