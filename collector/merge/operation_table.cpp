#include "collector/merge/operation_table.h"

#include <algorithm>
#include <cmath>

#include "collector/merge/rank_times.h"
#include "core/mpi_routines.h"

namespace scalediag::merge {
namespace {

struct Sums {
  double calls = 0;
  double bytes = 0;
  double wall_s = 0;
  double main_wall_s = 0;
  double longest_call_s = 0;
};

void add_to(Sums& sums, const OperationTotals& totals, bool on_main_thread, double tick) {
  const double wall = static_cast<double>(totals.ticks) * tick;
  sums.calls += static_cast<double>(totals.calls);
  sums.bytes += static_cast<double>(totals.bytes);
  sums.wall_s += wall;
  if (on_main_thread) sums.main_wall_s += wall;
  sums.longest_call_s = std::max(sums.longest_call_s, static_cast<double>(totals.max_ticks) * tick);
}

}  // namespace

double main_thread_operations_s(const RankRecord& record) {
  const double tick = seconds_per_tick(record);
  double sum = 0;
  for (const auto& [key, totals] : record.operations) {
    if (key.thread_class == raw::kMainThread) sum += static_cast<double>(totals.ticks) * tick;
  }
  return sum;
}

void OperationTable::add(const RankRecord& record, const SamplesByOperation& samples) {
  const double tick = seconds_per_tick(record);
  std::map<ClassKey, Sums> by_class;
  std::map<std::string, Sums> by_operation;
  for (const auto& [key, totals] : record.operations) {
    const std::string name = operation_name(record, key.operation);
    const bool on_main = key.thread_class == raw::kMainThread;
    add_to(by_class[{name, key.communicator_size, key.size_bin}], totals, on_main, tick);
    add_to(by_operation[name], totals, on_main, tick);
  }
  for (const auto& [name, sampled] : samples) by_operation[name];  // sampled before its first call was counted

  const int rank = static_cast<int>(record.rank);
  std::map<std::string, double> blocked;
  for (const auto& [key, sums] : by_class) {
    const auto& [name, communicator_size, size_bin] = key;
    const auto shortest = shortest_call_s_.find(key);
    const double least = shortest != shortest_call_s_.end() ? shortest->second : 0;
    const double blocked_s = mpi::can_wait(name) ? std::max(0.0, sums.wall_s - sums.calls * least) : 0;
    ClassRow& row = rows_[name].classes[{communicator_size, size_bin}];
    row.calls.add(rank, sums.calls);
    row.bytes.add(rank, sums.bytes);
    row.wall_s.add(rank, sums.wall_s);
    row.blocked_s.add(rank, blocked_s);
    row.longest_call_s = std::max(row.longest_call_s, sums.longest_call_s);
    blocked[name] += blocked_s;
  }
  for (const auto& [name, sums] : by_operation) {
    const auto found = samples.find(name);
    const OperationSamples sampled = found != samples.end() ? found->second : OperationSamples{};
    // The duration of time outside intercepted routines was not measured; its CPU time is taken instead.
    const bool is_other = name == kMpiOtherName;
    const double main_wall = is_other ? sampled.main_cpu_s : sums.main_wall_s;
    Row& row = rows_[name];
    row.calls.add(rank, sums.calls);
    row.bytes.add(rank, sums.bytes);
    row.time_s.add(rank, clock_ == core::Clock::kCpu ? sampled.cpu_s : main_wall);
    row.wall_s.add(rank, is_other ? sampled.cpu_s : sums.wall_s);
    row.cpu_s.add(rank, sampled.cpu_s);
    row.blocked_s.add(rank, blocked[name]);
    row.samples += sampled.samples;
    counts_.add(rank, sampled.counters, row.counts);
  }
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
    counts_.finish(row.counts, n_ranks, o.metrics);
    for (const auto& [key, class_row] : row.classes) {
      const auto& [communicator_size, size_bin] = key;
      core::MpiClass c;
      c.communicator_size = static_cast<int>(communicator_size);
      if (size_bin > 0) {
        c.bytes_from = std::ldexp(1.0, static_cast<int>(size_bin) - 1);
        c.bytes_to = std::ldexp(1.0, static_cast<int>(size_bin)) - 1;
      }
      c.calls = class_row.calls.finish(n_ranks);
      c.bytes = class_row.bytes.finish(n_ranks);
      c.wall_s = class_row.wall_s.finish(n_ranks);
      c.blocked_s = class_row.blocked_s.finish(n_ranks);
      const auto shortest = shortest_call_s_.find({name, communicator_size, size_bin});
      c.shortest_call_s = shortest != shortest_call_s_.end() ? shortest->second : 0;
      c.longest_call_s = class_row.longest_call_s;
      o.classes.push_back(std::move(c));
    }
    operations.push_back(std::move(o));
  }
  // The sort is stable: rows_ is by name.
  std::stable_sort(operations.begin(), operations.end(), [](const core::MpiOperation& a, const core::MpiOperation& b) {
    return a.time_s.mean > b.time_s.mean;
  });
  return operations;
}

}  // namespace scalediag::merge
