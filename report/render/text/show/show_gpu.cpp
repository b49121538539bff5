#include "report/render/text/show/show_gpu.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/profile/device_efficiencies.h"
#include "core/raw/gpu_functions.h"
#include "core/text/shortening.h"

namespace scalediag::report {
namespace {

struct GpuRow {
  double time_s = 0, longest_s = 0;  // of the mean rank and of the one that took longest
  double calls = 0, bytes = 0;       // over ranks
  double device_s = 0;               // of the mean rank
  double timed_calls = 0;            // over ranks
};

// In MPI, operation, detail.
using Key = std::tuple<bool, std::string, std::string>;

std::vector<std::pair<Key, GpuRow>> gpu_rows_of(const core::ConfigurationSummary& summary) {
  std::map<Key, GpuRow> rows;
  const double share = 1 / static_cast<double>(summary.runs.size());
  for (const core::Run* run : summary.runs) {
    for (const core::GpuOperation& g : run->gpu) {
      GpuRow& row = rows[{g.in_mpi, g.operation, g.detail}];
      row.time_s += g.time_s.mean * share;
      row.longest_s += g.time_s.max * share;
      row.calls += g.calls.sum * share;
      row.bytes += g.bytes.sum * share;
      row.device_s += g.device_s.mean * share;
      row.timed_calls += g.timed_calls.sum * share;
    }
  }
  std::vector<std::pair<Key, GpuRow>> sorted(rows.begin(), rows.end());
  const auto weight = [](const GpuRow& r) { return std::max(r.time_s, r.device_s); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return weight(a.second) > weight(b.second); });
  return sorted;
}

double mean_over_runs(const core::ConfigurationSummary& summary, double (*value)(const core::Run&)) {
  double sum = 0;
  for (const core::Run* run : summary.runs) sum += value(*run);
  return sum / static_cast<double>(summary.runs.size());
}

double bytes_copied(const core::Run& run) {
  double bytes = 0;
  for (const core::GpuOperation& o : run.gpu) bytes += o.kind.starts_with("copy") ? o.bytes.mean : 0;
  return bytes;
}

// Elapsed time is needed, so that the CPU clock has no efficiencies.
std::string devices_line(const core::ConfigurationSummary& summary, const core::TimeFormat& time) {
  const bool timed = std::all_of(summary.runs.begin(), summary.runs.end(),
                                 [](const core::Run* run) { return run->gpu_busy.has_value(); });
  if (!timed) return "";
  const double kernels = mean_over_runs(summary, [](const core::Run& r) { return r.gpu_busy->kernels_s.mean; });
  const double longest = mean_over_runs(summary, [](const core::Run& r) { return r.gpu_busy->kernels_s.max; });
  const double transfers = mean_over_runs(summary, [](const core::Run& r) { return r.gpu_busy->transfers_s.mean; });
  const double busiest = mean_over_runs(summary, [](const core::Run& r) { return r.gpu_busy->busy_s.max; });
  const double run_s =
      mean_over_runs(summary, [](const core::Run& r) { return r.times.total_s.mean - r.times.others_s.mean; });
  const double communication = mean_over_runs(
      summary, [](const core::Run& r) { return r.gpu_busy->communication_s ? r.gpu_busy->communication_s->mean : 0; });
  const double answered = mean_over_runs(summary, core::timed_share);
  std::string text = "\n  devices by " + summary.runs.front()->gpu_timed_by + ": kernels " + time(kernels) + " " +
                     time.unit() + " a rank, copies " + time(transfers) + " " + time.unit();
  const bool all_timed = answered >= core::kTimedEnough;
  if (all_timed && transfers > 0)
    text += " at " + core::bytes_text(mean_over_runs(summary, bytes_copied) / transfers) + "/s";
  if (communication > 0) text += ", communication " + time(communication) + " " + time.unit();
  if (!all_timed) return text + "; only " + core::percent(answered) + " of launches and copies were timed\n";
  const auto e = core::device_efficiencies({kernels, longest, busiest}, run_s);
  if (!e || summary.clock != core::Clock::kWall) return text + "\n";
  return text + "; efficiency " + core::percent(e->efficiency) + " = load balance " + core::percent(e->load_balance) +
         " x communication " + core::percent(e->communication) + " x orchestration " + core::percent(e->orchestration) +
         "\n";
}

// "12 of 40 messages from device memory, 3 from copies of it": calls of MPI that were given it, of all of these
// routines.
std::string messages_line(const core::ConfigurationSummary& summary) {
  double given = 0, copied = 0, all = 0;
  for (const core::Run* run : summary.runs) {
    std::set<std::string> routines;
    for (const core::GpuOperation& g : run->gpu) {
      if (g.kind != "message") continue;
      (g.detail == raw::kGpuMessageOrigins[0] ? given : copied) += g.calls.sum;
      routines.insert(g.operation);
    }
    for (const core::MpiOperation& o : run->operations) all += routines.contains(o.operation) ? o.calls.sum : 0;
  }
  if (!(given + copied > 0)) return "";
  const auto runs = static_cast<double>(summary.runs.size());
  return "  MPI: " + core::count_text(given / runs) + " of " + core::count_text(all / runs) +
         " messages from device memory" +
         (copied > 0 ? ", " + core::count_text(copied / runs) + " from copies of it on the host\n" : "\n");
}

}  // namespace

std::string gpu_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                      const core::TableStyle& style) {
  const auto rows = gpu_rows_of(summary);
  if (rows.empty()) return "";
  const bool timed = std::any_of(rows.begin(), rows.end(), [](const auto& r) { return r.second.timed_calls > 0; });
  using Align = core::TableColumn::Align;
  std::vector<core::TableColumn> columns = {{std::string("wall ") + time.unit()},
                                            {std::string("longest ") + time.unit()}};
  if (timed) columns.push_back({std::string("device ") + time.unit()});
  columns.insert(columns.end(),
                 {{"calls"},
                  {"bytes"},
                  {.title = "of GPUs' libraries", .align = Align::kLeft, .shrink_weight = 1},
                  {.title = "", .align = Align::kLeft, .shrink_weight = 1, .shorten = core::shorten_function}});
  core::Table table(columns);
  const size_t n = top == 0 ? rows.size() : std::min(rows.size(), top);
  for (size_t i = 0; i < n; ++i) {
    const auto& [key, row] = rows[i];
    const auto& [in_mpi, operation, detail] = key;
    std::vector<std::string> cells = {time(row.time_s), time(row.longest_s)};
    if (timed) cells.push_back(row.timed_calls > 0 ? time(row.device_s) : "-");
    cells.insert(cells.end(), {core::count_text(row.calls), core::bytes_text(row.bytes),
                               (in_mpi ? "in MPI: " : "") + operation, detail});
    table.add_row(std::move(cells));
  }
  return "\n" + table.text(style) + devices_line(summary, time) + messages_line(summary);
}

}  // namespace scalediag::report
