#include "report/render/text/show/show_memory_and_io.h"

#include <algorithm>
#include <map>
#include <vector>

namespace scalediag::report {
namespace {

struct Row {
  std::string operation;
  double time_s = 0, longest_s = 0;  // of the mean rank and of the one that took longest
  double calls = 0, bytes = 0;       // over ranks
};

std::vector<Row> rows_of(const core::ConfigurationSummary& summary) {
  std::map<std::string, Row> by_name;
  const auto n = static_cast<double>(summary.runs.size());
  for (const core::Run* run : summary.runs) {
    for (const core::FileOperation& o : core::file_operations(*run)) {
      Row& row = by_name[o.operation];
      row.operation = o.operation;
      row.time_s += o.time_s.mean / n;
      row.longest_s += o.time_s.max / n;
      row.calls += o.calls.sum / n;
      row.bytes += o.bytes.sum / n;
    }
  }
  std::vector<Row> rows;
  for (const auto& [name, row] : by_name) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time_s > b.time_s; });
  return rows;
}

}  // namespace

std::string memory_line(const core::ConfigurationSummary& summary) {
  const core::Run* most = nullptr;
  for (const core::Run* run : summary.runs) {
    if (!run->memory_peak_bytes) continue;
    if (most == nullptr || run->memory_peak_bytes->max > most->memory_peak_bytes->max) most = run;
  }
  if (most == nullptr) return "";
  const core::OverRanks& peak = *most->memory_peak_bytes;
  std::string text = "\n  memory at its peak: " + core::bytes_text(peak.mean) + " a rank";
  if (summary.np > 1) {
    text += ", from " + core::bytes_text(peak.min) + " (rank " + std::to_string(peak.rank_of_min) + ") to " +
            core::bytes_text(peak.max) + " (rank " + std::to_string(peak.rank_of_max) + ")";
  }
  if (most->memory_peak_node_bytes) text += "; " + core::bytes_text(*most->memory_peak_node_bytes) + " a node";
  return text + "\n";
}

std::string io_table(const core::ConfigurationSummary& summary, size_t n, const core::TimeFormat& time,
                     const core::TableStyle& style) {
  const std::vector<Row> rows = rows_of(summary);
  if (rows.empty()) return "";
  const std::string unit = time.unit();
  core::Table table({{"wall " + unit},
                     {"longest " + unit},
                     {"calls"},
                     {"bytes"},
                     {.title = "on files", .align = core::TableColumn::Align::kLeft, .shrink_weight = 1}});
  for (size_t i = 0; i < std::min(n, rows.size()); ++i) {
    const Row& row = rows[i];
    table.add_row({time(row.time_s), time(row.longest_s), core::count_text(row.calls), core::bytes_text(row.bytes),
                   row.operation});
  }
  return "\n" + table.text(style);
}

}  // namespace scalediag::report
