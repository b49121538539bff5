#include "report/render/text/show/show_regions.h"

#include <algorithm>
#include <set>
#include <vector>

namespace scalediag::report {
namespace {

using core::Region;

// Means over the repeats; a repeat without the region counts as 0.
struct RegionRow {
  const Region* region = nullptr;  // in the first repeat that has it
  double count = 0, time_s = 0, elapsed_s = 0, least_s = 0, most_s = 0, computation_s = 0, communication_s = 0;
  std::set<std::string> notes;
};

bool is_same(const Region& a, const Region& b) {
  return a.name == b.name && a.parent == b.parent && a.source == b.source && a.of_other_threads == b.of_other_threads;
}

std::vector<RegionRow> regions_of(const core::ConfigurationSummary& summary) {
  std::vector<RegionRow> rows;
  const double repeats = static_cast<double>(summary.runs.size());
  for (const core::Run* run : summary.runs) {
    for (const Region& r : run->regions) {
      auto row = std::find_if(rows.begin(), rows.end(), [&r](const RegionRow& w) { return is_same(*w.region, r); });
      if (row == rows.end()) {
        row = rows.emplace(rows.end());
        row->region = &r;
      }
      row->count += r.count.max / repeats;
      row->time_s += r.time_s(run->clock).mean / repeats;
      row->elapsed_s += r.elapsed_s.mean / repeats;
      row->least_s += r.elapsed_s.min / repeats;
      row->most_s += r.elapsed_s.max / repeats;
      row->computation_s += r.computation_s.mean / repeats;
      row->communication_s += r.communication_s.mean / repeats;
      if (!r.note.empty()) row->notes.insert(r.note);
    }
  }
  return rows;
}

}  // namespace

const char* const kRegionsLegend =
    "regions: time in the run's clock, all else elapsed, means over ranks with the least and the largest rank's; "
    "count\n"
    "is that of the rank with most; main-loop is the outermost loop that all ranks share, by the calls of MPI in it\n";

std::string regions_table(const core::ConfigurationSummary& summary, const core::TimeFormat& time,
                          const core::TableStyle& style) {
  const std::vector<RegionRow> rows = regions_of(summary);
  if (rows.empty()) return "";
  const std::string unit = time.unit();
  core::Table table({{"time " + unit},
                     {"elapsed " + unit},
                     {"min"},
                     {"max"},
                     {"outside MPI"},
                     {"in MPI"},
                     {"count"},
                     {.title = "region", .align = core::TableColumn::Align::kLeft, .shrink_weight = 3},
                     {.title = "named by", .align = core::TableColumn::Align::kLeft, .shrink_weight = 1}});
  for (const RegionRow& row : rows) {
    const Region& r = *row.region;
    const auto levels = r.parent.empty() ? 0 : 1 + std::count(r.parent.begin(), r.parent.end(), '/');
    table.add_row(
        {time(row.time_s), time(row.elapsed_s), time(row.least_s), time(row.most_s), time(row.computation_s),
         time(row.communication_s), row.count > 0 ? core::count_text(row.count) : "-",
         std::string(2 * static_cast<size_t>(levels), ' ') + r.name + (r.of_other_threads ? " (other threads)" : ""),
         r.source});
  }
  std::string text = "\n" + table.text(style);
  for (const RegionRow& row : rows) {
    for (const std::string& note : row.notes) text += "  " + row.region->name + ": " + note + "\n";
  }
  return text;
}

}  // namespace scalediag::report
