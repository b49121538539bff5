#include "report/render/text/show/show_regions.h"

#include <optional>
#include <set>
#include <vector>

#include "core/text/join.h"
#include "report/findings/places/region_findings.h"

namespace scalediag::report {

const char* const kRegionsLegend =
    "regions: time in the run's clock, all else elapsed; means over ranks, min and max of ranks, count of\n"
    "the rank with most; main-loop is the outermost loop that all ranks share, by the calls of MPI in it\n";

const char* const kParallelRegionsLegend =
    "parallel regions: busy, with its CPU time, and idle of all threads of a rank, idle where they wait\n"
    "for each other; slowest/mean: busy time of the slowest thread over that of the mean one;\n"
    "outside: in no parallel region and not in MPI, where one thread of a rank computes\n";

std::string regions_table(const core::ConfigurationSummary& summary, const core::TimeFormat& time,
                          const core::TableStyle& style) {
  const std::vector<RegionFinding> regions = regions_of(summary);
  if (regions.empty()) return "";
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
  for (const RegionFinding& r : regions) {
    const RegionTimes& t = r.times.back();
    table.add_row(
        {time(t.time_s), time(t.elapsed_s), time(t.least_s), time(t.most_s), time(t.computation_s),
         time(t.communication_s), core::count_text(t.count),
         std::string(2 * static_cast<size_t>(r.depth()), ' ') + r.name + (r.of_other_threads ? " (other threads)" : ""),
         r.source});
  }
  std::string text = "\n" + table.text(style);
  for (const RegionFinding& r : regions) {
    for (const std::string& note : r.notes) text += "  " + r.name + ": " + note + "\n";
  }
  return text;
}

std::string parallel_regions_table(const core::ConfigurationSummary& summary, const core::TimeFormat& time,
                                   const core::TableStyle& style) {
  const std::optional<OpenMpFinding> openmp = openmp_of(summary);
  if (!openmp) return "";
  core::Table table({{std::string("elapsed ") + time.unit()},
                     {"busy"},
                     {"busy CPU"},
                     {"idle"},
                     {"idle share"},
                     {"slowest/mean"},
                     {"threads"},
                     {.title = "parallel region", .align = core::TableColumn::Align::kLeft, .shrink_weight = 3}});
  for (const RegionFinding& r : regions_of(summary)) {
    if (!r.is_parallel()) continue;
    const RegionTimes& t = r.times.back();
    table.add_row({time(t.elapsed_s), time(t.busy_s), time(t.busy_cpu_s), time(t.idle_s), core::percent(t.idle_share()),
                   core::fixed(t.thread_imbalance(), 2), core::count_text(t.threads),
                   r.name + (r.of_other_threads ? " (other threads)" : "")});
  }
  const std::string unit = std::string(" ") + time.unit();
  return "\n  OpenMP: elapsed " + time(openmp->inside_s) + unit + " in parallel regions, " + time(openmp->outside_s) +
         unit + " outside, " + time(openmp->outside_mpi_s) + unit + " in MPI outside\n" + table.text(style);
}

std::string no_main_loop_line(const core::ConfigurationSummary& summary) {
  std::set<std::string> reasons;
  for (const core::Run* run : summary.runs) {
    if (!run->no_main_loop.empty()) reasons.insert(run->no_main_loop);
  }
  return reasons.empty() ? "" : "  no main loop: " + core::join(reasons, "; ") + "\n";
}

}  // namespace scalediag::report
