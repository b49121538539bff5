#include "collector/merge/memory_and_files.h"

#include <algorithm>

#include "collector/merge/rank_times.h"

namespace scalediag::merge {

void MemoryAndFiles::add(const RankRecord& record) {
  const int rank = static_cast<int>(record.rank);
  const auto peak = record.memory ? static_cast<double>(record.memory->peak_resident_bytes) : 0;
  peak_is_known_ = peak_is_known_ && peak > 0;
  peak_.add(rank, peak);
  peak_of_host_[record.identity->host] += peak;
  const double tick = seconds_per_tick(record);
  for (const raw::FileTotals& f : record.files) {
    Row& row = rows_[f.function];
    row.calls.add(rank, static_cast<double>(f.calls));
    row.bytes.add(rank, static_cast<double>(f.bytes));
    row.time_s.add(rank, static_cast<double>(f.ticks) * tick);
  }
}

void MemoryAndFiles::finish(int n_ranks, core::Run& run) const {
  if (peak_is_known_ && !peak_of_host_.empty()) {
    run.memory_peak_bytes = peak_.finish(n_ranks);
    for (const auto& [host, bytes] : peak_of_host_) {
      run.memory_peak_node_bytes = std::max(run.memory_peak_node_bytes.value_or(0), bytes);
    }
  }
  for (const auto& [function, row] : rows_) {
    run.files.push_back({function, row.calls.finish(n_ranks), row.bytes.finish(n_ranks), row.time_s.finish(n_ranks)});
  }
  // The sort is stable: rows_ is by name.
  std::stable_sort(run.files.begin(), run.files.end(), [](const core::FileOperation& a, const core::FileOperation& b) {
    return a.time_s.mean > b.time_s.mean;
  });
}

}  // namespace scalediag::merge
