#include "report/render/text/show/show_measurements.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/table.h"
#include "fit/data/runs/measured_run.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {
namespace {

using MeasuredAt = std::vector<double>;

constexpr size_t kMostColumns = 8;

// With four digits: 0.1234, 12.35, 1.234e+08.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// Without parameters that are the same everywhere.
std::string point_text(const std::vector<std::string>& names, const MeasuredAt& at,
                       const std::vector<MeasuredAt>& all) {
  std::string text;
  for (size_t i = 0; i < at.size(); ++i) {
    const bool varies = std::any_of(all.begin(), all.end(), [&](const MeasuredAt& other) { return other[i] != at[i]; });
    if (varies || all.size() == 1) text += (text.empty() ? "" : " ") + names[i] + "=" + core::to_text(at[i]);
  }
  return text;
}

// By the number of processes, then by the other parameters; every so many are left out where there are too many.
std::vector<MeasuredAt> shown_points(const fit::MeasurementSet& set) {
  std::set<MeasuredAt> all;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) all.insert(o.at);
  }
  const size_t np = fit::processes_parameter(set.parameter_names);
  std::vector<MeasuredAt> points(all.begin(), all.end());
  std::stable_sort(points.begin(), points.end(),
                   [np](const MeasuredAt& a, const MeasuredAt& b) { return a[np] < b[np]; });
  if (points.size() <= kMostColumns) return points;
  std::vector<MeasuredAt> some;
  for (size_t i = 0; i < kMostColumns; ++i) some.push_back(points[i * (points.size() - 1) / (kMostColumns - 1)]);
  return some;
}

std::map<MeasuredAt, double> means_of(const fit::Series& series) {
  std::map<MeasuredAt, double> means;
  for (const fit::Observation& o : series.observations) {
    double sum = 0;
    for (const double value : o.values) sum += value;
    means[o.at] = sum / static_cast<double>(o.values.size());
  }
  return means;
}

struct MeasuredRow {
  const fit::Series* series;
  std::map<MeasuredAt, double> means;
  double most = 0;
};

std::string metric_table(const std::string& metric, const std::vector<MeasuredRow>& rows,
                         const std::vector<MeasuredAt>& points, const std::vector<std::string>& names,
                         const MeasurementTextOptions& options) {
  std::vector<core::TableColumn> columns{{"call path", 0, core::TableColumn::Align::kLeft, 1}};
  for (const MeasuredAt& point : points) columns.push_back({point_text(names, point, points)});
  core::Table table(std::move(columns));
  const size_t shown = options.top == 0 ? rows.size() : std::min(options.top, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells{rows[i].series->kernel};
    for (const MeasuredAt& point : points) {
      const auto mean = rows[i].means.find(point);
      cells.push_back(mean == rows[i].means.end() ? "-" : short_number(mean->second));
    }
    table.add_row(std::move(cells));
  }
  std::string text = "\n" + heading_text(core::printable(metric), options.color) + "\n" +
                     table.text({.width = options.width, .color = options.color});
  if (shown < rows.size()) {
    text += "  and " + std::to_string(rows.size() - shown) + " more with smaller values: --top 0\n";
  }
  return text;
}

}  // namespace

std::string measurements_text(const std::string& input, const fit::MeasurementSet& set,
                              const MeasurementTextOptions& options) {
  // The time of call paths first, then other times.
  std::map<std::pair<int, std::string>, std::vector<MeasuredRow>> by_metric;
  for (const fit::Series& series : set.series) {
    MeasuredRow row{&series, means_of(series), 0};
    for (const auto& [at, mean] : row.means) row.most = std::max(row.most, mean);
    by_metric[{series.metric == fit::kRunTime       ? 0
               : fit::is_time_metric(series.metric) ? 1
                                                    : 2,
               series.metric}]
        .push_back(std::move(row));
  }
  std::string text = heading_text(core::printable(input), options.color) + "\n";
  if (!set.origin.empty()) text += core::printable(set.origin) + "\n";
  for (const std::string& note : set.notes)
    text += label_text("note", "36", options.color) + core::printable(note) + "\n";
  const std::vector<MeasuredAt> points = shown_points(set);
  for (auto& [metric, rows] : by_metric) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const MeasuredRow& a, const MeasuredRow& b) { return a.most > b.most; });
    text += metric_table(metric.second, rows, points, set.parameter_names, options);
  }
  return text;
}

}  // namespace scalediag::report
