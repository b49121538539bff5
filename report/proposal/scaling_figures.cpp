#include "report/proposal/scaling_figures.h"

#include <algorithm>
#include <utility>

#include "core/profile/profile.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/proposal/scaling_table_text.h"

namespace scalediag::report {
namespace {

void add_series(const Proposal& proposal, bool speedup, Figure& figure) {
  size_t style = 0;
  for (const Study& study : proposal.studies) {
    for (const ScalingTable& table : study.tables) {
      const std::string name = problem_name(proposal, study, table);
      for (const bool predicted : {false, true}) {
        FigureSeries series;
        const std::string origin = predicted ? "predicted" : table.is_elapsed() ? "measured" : "modelled from runs";
        series.label = (name.empty() ? "" : name + ", ") + origin;
        series.style = style;
        series.predicted = predicted;
        for (const ScalingRow& row : table.rows) {
          const std::optional<Bounded>& value = speedup ? row.speedup : row.efficiency;
          if (row.predicted != predicted || !value) continue;
          series.points.push_back({process_count(row.at), value->value, value->low, value->high});
        }
        std::sort(series.points.begin(), series.points.end(),
                  [](const FigurePoint& a, const FigurePoint& b) { return a.processes < b.processes; });
        if (!series.points.empty()) figure.series.push_back(std::move(series));
      }
      ++style;
    }
  }
}

std::pair<double, double> range_of(const Figure& figure) {
  double low = figure.series.front().points.front().processes, high = low;
  for (const FigureSeries& series : figure.series) {
    low = std::min(low, series.points.front().processes);
    high = std::max(high, series.points.back().processes);
  }
  return {low, high};
}

}  // namespace

std::vector<Figure> scaling_figures(const Proposal& proposal) {
  std::vector<Figure> figures;
  const std::string& region = proposal.studies.front().region;
  const std::string of = region.empty() ? "" : " of " + name_of_region(region);
  Figure speedup;
  speedup.name = "speedup";
  speedup.title = "Speed-up" + of + " over the smallest run";
  speedup.y_title = "speed-up";
  speedup.logarithmic = true;
  add_series(proposal, true, speedup);
  if (!speedup.series.empty() && !is_weak(proposal)) {
    const auto [low, high] = range_of(speedup);
    std::vector<double> bases;
    for (const Study& study : proposal.studies) {
      for (const ScalingTable& table : study.tables) bases.push_back(table.base);
    }
    std::sort(bases.begin(), bases.end());
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    for (const double base : bases) {
      const double from = std::max(low, base);
      speedup.lines.push_back({bases.size() > 1 ? "ideal from np=" + core::to_text(base) : "ideal",
                               {{from, from / base, {}, {}}, {high, high / base, {}, {}}},
                               false});
    }
    figures.push_back(std::move(speedup));
  }
  Figure efficiency;
  efficiency.name = "efficiency";
  efficiency.title =
      (is_elapsed(proposal) ? "Efficiency" + of : std::string("CPU-time efficiency")) + " over the smallest run";
  efficiency.y_title = is_elapsed(proposal) ? "efficiency" : "CPU-time efficiency";
  efficiency.is_percent = true;
  add_series(proposal, false, efficiency);
  if (!efficiency.series.empty()) {
    const auto [low, high] = range_of(efficiency);
    const double bound = proposal.options.efficiency_bound;
    efficiency.lines.push_back({"ideal", {{low, 1, {}, {}}, {high, 1, {}, {}}}, false});
    efficiency.lines.push_back(
        {core::fixed(100 * bound, 0) + "%, to be kept", {{low, bound, {}, {}}, {high, bound, {}, {}}}, true});
    figures.push_back(std::move(efficiency));
  }
  return figures;
}

}  // namespace scalediag::report
