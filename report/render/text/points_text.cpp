#include "report/render/text/points_text.h"

#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::report {
namespace {

// The number of the best point; points.size() where none fits.
size_t best_of(const std::vector<NamedPoint>& points) {
  std::vector<loggp::MeasurablePoint> all;
  for (const NamedPoint& named : points) all.push_back(named.point);
  return loggp::best_point(all);
}

std::string difference_text(const loggp::PointPhase& phase) {
  return phase.is_there ? core::signed_percent(phase.difference) : "not there";
}

}  // namespace

std::string points_text(const std::vector<NamedPoint>& points, int target) {
  if (points.empty()) return "there are no runs of other inputs\n";
  std::vector<core::TableColumn> columns = {{"run", 2, core::TableColumn::Align::kLeft}, {"ranks"}};
  std::vector<std::string> wanted = {"predicted", std::to_string(target)};
  for (const loggp::PointPhase& phase : points.front().point.phases) {
    columns.push_back({"phase " + std::to_string(phase.phase)});
    wanted.push_back(core::fixed(phase.wanted, 0));
  }
  core::Table table(columns);
  table.add_row(std::move(wanted));
  for (const auto& [run, point] : points) {
    std::vector<std::string> row = {run, std::to_string(point.ranks)};
    for (const loggp::PointPhase& phase : point.phases) row.push_back(difference_text(phase));
    table.add_row(std::move(row));
  }
  const std::string limit = core::fixed(100 * loggp::kMostPointDifference, 0) + " %";
  const size_t best = best_of(points);
  return "instructions of a rank in one execution of the phases with " + core::fixed(100 * loggp::kPointShare, 0) +
         " % of all, and by how much runs of other inputs differ\n" + table.text({.width = core::kUnlimited}) +
         (best == points.size()
              ? "no run differs by at most " + limit + " in each of these phases\n"
              : points[best].run + " has the fewest ranks of the runs that differ by at most " + limit + "\n");
}

nlohmann::ordered_json points_json(const std::vector<NamedPoint>& points, int target) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [run, point] : points) {
    nlohmann::ordered_json phases = nlohmann::ordered_json::array();
    for (const loggp::PointPhase& phase : point.phases) {
      nlohmann::ordered_json one = {{"phase", phase.phase}, {"wanted", phase.wanted}};
      if (phase.is_there) one.update({{"counted", phase.counted}, {"difference", phase.difference}});
      phases.push_back(std::move(one));
    }
    list.push_back({{"run", run}, {"ranks", point.ranks}, {"fits", point.fits()}, {"phases", phases}});
  }
  nlohmann::ordered_json document = {{"schema", "scalediag-points/1"}, {"target", target}, {"points", list}};
  const size_t best = best_of(points);
  if (best < points.size()) document["best"] = points[best].run;
  return document;
}

}  // namespace scalediag::report
