#include <algorithm>
#include <set>

#include "core/text/quantities.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"

namespace scalediag::report::html {
namespace {

constexpr size_t kMostRegionsListed = 100;
constexpr size_t kMostScalesListed = 6;

// The configurations of which times are listed: all, or the smallest and the largest ones.
std::vector<Point> listed_scales(const std::vector<RegionFinding>& regions) {
  std::vector<Point> points;
  for (const RegionFinding& region : regions) {
    for (const RegionTimes& t : region.times) {
      if (std::find(points.begin(), points.end(), t.at) == points.end()) points.push_back(t.at);
    }
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return process_count(a) != process_count(b) ? process_count(a) < process_count(b) : a < b;
  });
  if (points.size() > kMostScalesListed) {
    points.erase(points.begin() + 1, points.end() - static_cast<ptrdiff_t>(kMostScalesListed - 1));
  }
  return points;
}

std::string region_name(const RegionFinding& region) {
  std::string name;
  for (int i = 0; i < region.depth(); ++i) name += "\u2003";
  name += region.name;
  return region.of_other_threads ? name + " (other threads)" : name;
}

std::string region_row(const RegionFinding& region, const std::vector<Point>& points) {
  std::string out = "<tr>" + row_title(region_name(region));
  for (const Point& at : points) {
    const auto t = std::find_if(region.times.begin(), region.times.end(),
                                [&at](const RegionTimes& times) { return times.at == at; });
    out += cell(t == region.times.end() ? "-" : metric_text("time_s", t->time_s));
  }
  const RegionTimes& last = region.times.back();
  const bool ran = last.elapsed_s > 0;
  out += cell(core::percent(last.share)) + cell(ran ? core::percent(last.communication_s / last.elapsed_s) : "-") +
         cell(ran ? core::fixed(last.most_s / last.elapsed_s, 2) : "-") + cell(core::count_text(last.count)) +
         cell(region.source, false);
  return out + "</tr>\n";
}

std::string parallel_row(const RegionFinding& region, const std::vector<Point>& points) {
  std::string out = "<tr>" + row_title(region_name(region));
  for (const Point& at : points) {
    const auto t = std::find_if(region.times.begin(), region.times.end(),
                                [&at](const RegionTimes& times) { return times.at == at; });
    out += cell(t == region.times.end() ? "-" : core::percent(t->idle_share()));
  }
  const RegionTimes& last = region.times.back();
  return out + cell(metric_text("time_s", last.busy_s)) + cell(metric_text("time_s", last.idle_s)) +
         cell(core::fixed(last.thread_imbalance(), 2)) + cell(core::count_text(last.threads)) + "</tr>\n";
}

// Time in and outside of parallel regions, and what the threads in them wait for each other.
std::string parallel_tables(const Findings& findings, const std::vector<Point>& points) {
  if (findings.openmp.empty()) return "";
  std::string out = table_begin(
      "OpenMP: elapsed time of the main thread between MPI_Init and MPI_Finalize, mean over ranks. Outside of parallel "
      "regions one thread of a rank computes: more threads do not make that shorter",
      {{"at", false},
       {"in parallel regions"},
       {"outside of them and of MPI"},
       {"in MPI outside of them"},
       {"outside, without MPI"}});
  for (const OpenMpFinding& t : findings.openmp) {
    const double computing_s = t.inside_s + t.outside_s;
    out += "<tr>" + row_title(text_of(t.at)) + cell(metric_text("time_s", t.inside_s)) +
           cell(metric_text("time_s", t.outside_s)) + cell(metric_text("time_s", t.outside_mpi_s)) +
           cell(computing_s > 0 ? core::percent(t.outside_s / computing_s) : "-") + "</tr>\n";
  }
  out += table_end();
  std::vector<Column> columns = {{"parallel region", false}};
  for (const Point& at : points) columns.push_back({text_of(at)});
  for (const char* title : {"busy", "idle", "slowest / mean thread", "threads"}) columns.push_back({title});
  out += table_begin(
      "Part of the time of a parallel region's threads in which they are idle, waiting for each other; the columns "
      "behind "
      "are of the largest scale of a region, all threads of a rank together",
      columns);
  size_t listed = 0;
  for (const RegionFinding& region : findings.regions) {
    if (region.is_parallel() && ++listed <= kMostRegionsListed) out += parallel_row(region, points);
  }
  return out + table_end();
}

}  // namespace

std::string region_section(const Findings& findings) {
  const std::vector<RegionFinding>& regions = findings.regions;
  if (regions.empty()) return "";
  const std::vector<Point> points = listed_scales(regions);
  std::string out = section_begin(
      "regions", "Regions",
      "The main loop, which is the outermost loop that all ranks share by their calls of MPI, the parts that the "
      "program names, and parallel regions of OpenMP. A region has all that was called in it. `--region NAME` predicts "
      "one of them by itself.");
  std::vector<Column> columns = {{"region", false}};
  for (const Point& at : points) columns.push_back({text_of(at)});
  for (const char* title : {"share of the run", "in MPI", "slowest / mean", "count"}) columns.push_back({title});
  columns.push_back({"named by", false});
  out += table_begin(
      "Time in the run's clock, mean over ranks; the columns behind the times are of the largest scale of a region "
      "and, "
      "but for the share, of elapsed time",
      columns);
  const size_t listed = std::min(kMostRegionsListed, regions.size());
  for (size_t i = 0; i < listed; ++i) out += region_row(regions[i], points);
  out += table_end();
  if (listed < regions.size()) {
    out += "<p class=\"quiet\">" + std::to_string(regions.size() - listed) + " more are in the report as JSON.</p>\n";
  }
  out += parallel_tables(findings, points);
  std::set<std::string> told;
  for (const RegionFinding& region : regions) {
    for (const std::string& note : region.notes) {
      const std::string sentence = region.name + ": " + note;
      if (told.insert(sentence).second) out += "<p class=\"quiet\">" + escaped(sentence) + ".</p>\n";
    }
  }
  return out + section_end();
}

}  // namespace scalediag::report::html
