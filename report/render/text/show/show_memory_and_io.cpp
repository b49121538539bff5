#include "report/render/text/show/show_memory_and_io.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/profile/call_sites.h"
#include "core/text/shortening.h"

namespace scalediag::report {
namespace {

constexpr size_t kFileOperationsWithSites = 3;
constexpr size_t kFileSitesShown = 5;

// Of an operation, or of a place that calls it.
struct Row {
  double time_s = 0, longest_s = 0;  // of the mean rank and of the one that took longest
  double calls = 0, bytes = 0;       // over ranks

  // A part of `share`, of an operation or a place in one run.
  template <class Values>
  void add(const Values& v, double share) {
    time_s += v.time_s.mean * share;
    longest_s += v.time_s.max * share;
    calls += v.calls.sum * share;
    bytes += v.bytes.sum * share;
  }
  void add(const Row& other) {
    time_s += other.time_s;
    longest_s += other.longest_s;
    calls += other.calls;
    bytes += other.bytes;
  }
};

struct Operation : Row {
  std::map<core::CallSite, Row> sites;
};

template <class Key, class Value>
std::vector<std::pair<Key, Value>> by_falling_time(const std::map<Key, Value>& rows) {
  std::vector<std::pair<Key, Value>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.time_s > b.second.time_s; });
  return sorted;
}

std::map<std::string, Operation> operations_of(const core::ConfigurationSummary& summary) {
  std::map<std::string, Operation> by_name;
  const double share = 1 / static_cast<double>(summary.runs.size());
  for (const core::Run* run : summary.runs) {
    for (const core::FileOperation& o : core::file_operations(*run)) {
      Operation& operation = by_name[o.operation];
      operation.add(o, share);
      for (const core::FileSite& s : o.sites) operation.sites[s].add(s, share);
    }
  }
  return by_name;
}

class IoTable {
 public:
  IoTable(const core::TimeFormat& time, bool with_sites)
      : time_(time),
        table_({{std::string("wall ") + time.unit()},
                {std::string("longest ") + time.unit()},
                {"calls"},
                {"bytes"},
                {.title = "on files", .align = Align::kLeft, .shrink_weight = 1, .shorten = core::shorten_function},
                {.title = with_sites ? "source" : "", .align = Align::kLeft, .shrink_weight = 1}}) {}

  void add(const Row& row, const std::string& name, const std::string& source) {
    table_.add_row({time_(row.time_s), time_(row.longest_s), core::count_text(row.calls), core::bytes_text(row.bytes),
                    name, source});
  }
  void add_sites(const std::map<core::CallSite, Row>& sites, bool all) {
    const auto sorted = by_falling_time(sites);
    const size_t n = all ? sorted.size() : std::min(sorted.size(), kFileSitesShown);
    for (size_t i = 0; i < n; ++i) {
      add(sorted[i].second, "  " + core::function_of(sorted[i].first), core::source_of(sorted[i].first));
    }
    if (n == sorted.size()) return;
    Row rest;
    for (size_t i = n; i < sorted.size(); ++i) rest.add(sorted[i].second);
    add(rest, "  (" + std::to_string(sorted.size() - n) + " more places)", "");
  }
  std::string text(const core::TableStyle& style) const { return "\n" + table_.text(style); }

 private:
  using Align = core::TableColumn::Align;
  const core::TimeFormat& time_;
  core::Table table_;
};

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

std::string io_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                     const core::TableStyle& style) {
  const auto operations = by_falling_time(operations_of(summary));
  if (operations.empty()) return "";
  IoTable table(
      time, std::any_of(operations.begin(), operations.end(), [](const auto& o) { return !o.second.sites.empty(); }));
  const size_t n = top == 0 ? operations.size() : std::min(operations.size(), top);
  for (size_t i = 0; i < n; ++i) {
    table.add(operations[i].second, operations[i].first, "");
    if (top == 0 || i < kFileOperationsWithSites) table.add_sites(operations[i].second.sites, top == 0);
  }
  return table.text(style);
}

}  // namespace scalediag::report
