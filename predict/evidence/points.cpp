#include "predict/evidence/points.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/experiment/experiment.h"
#include "predict/evidence/traces.h"

namespace scalediag::predict {
namespace {

// What the points leave open of the phases that were taken from them: their instructions differ, or they lie on both
// sides of the target, and the instructions at the target are known within a range.
double relative_error_of(const PointsOfTarget& taken) {
  double most = 0;
  for (const loggp::UsedPoint& used : taken.use.used) {
    double range = 0;
    for (const loggp::PhaseInstructions& phase : taken.predicted) {
      if (phase.phase != used.phase || !(phase.mean_at_target > 0)) continue;
      range = std::max(phase.high - phase.mean_at_target, phase.mean_at_target - phase.low) / phase.mean_at_target;
    }
    most = std::max(most, used.error + range);
  }
  return most;
}

}  // namespace

core::Error not_counted(const std::string& folder) {
  return {core::ErrorCode::kInput, folder + " has no counted instructions",
          "record it with `scalediag profile --trace --counters simulated --simulate-ranks all`", folder};
}

bool are_counted(const std::vector<NamedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const NamedRun& run) {
    return std::any_of(run.traces.begin(), run.traces.end(),
                       [](const loggp::RankTrace& trace) { return trace.counted_for > 0; });
  });
}

core::Result<std::vector<NamedRun>> read_runs(const std::string& path, Remarks& remarks) {
  const auto experiment = core::ExperimentFolder(path).load();
  if (!experiment) return experiment.error();
  std::vector<NamedRun> runs;
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (entry.state != core::RunState::kComplete || entry.repeat != 0) continue;
    const std::string id = core::run_id(entry.configuration, entry.repeat);
    const auto folder = find_trace_folder(path, 0, id);
    if (!folder) return folder.error();
    auto traces = read_recorded_traces(folder.value(), remarks);
    if (!traces) return traces.error();
    take_medians_of_repeats(folder.value(), traces.value());
    runs.push_back({path + "/" + id, std::move(traces.value())});
  }
  return runs;
}

core::Result<PointsOfTarget> use_points_of(loggp::ScalingModel& model, const std::string& folder,
                                           const std::vector<std::string>& points, Remarks& remarks) {
  PointsOfTarget taken;
  taken.predicted = loggp::instructions_of(model);
  if (taken.predicted.empty()) return not_counted(folder);
  std::vector<std::vector<loggp::RankTrace>> runs;
  std::string uncounted;
  for (const std::string& point : points) {
    auto found = read_runs(point, remarks);
    if (!found) return found.error();
    if (!are_counted(found.value())) uncounted = point;
    for (NamedRun& run : found.value()) {
      taken.runs.push_back(run.name);
      runs.push_back(std::move(run.traces));
    }
  }
  auto use = loggp::use_points(taken.predicted, model, runs);
  if (!use) return use.error();
  if (use.value().used.empty() && !uncounted.empty()) return not_counted(uncounted);
  taken.use = std::move(use.value());
  return taken;
}

PointComputation point_computation(const PointsOfTarget& taken) {
  PointComputation computation;
  computation.without = taken.use.without;
  computation.relative_error = relative_error_of(taken);
  for (const loggp::UsedPoint& used : taken.use.used) {
    computation.share += used.share;
    const auto name = [&](const std::string& run) {
      if (std::count(computation.runs.begin(), computation.runs.end(), run) == 0) computation.runs.push_back(run);
    };
    name(taken.runs[used.run]);
    if (!used.is_interpolated()) {
      if (std::abs(used.difference) > std::abs(computation.difference)) computation.difference = used.difference;
      continue;
    }
    computation.interpolated += used.share;
    if (used.other_end->run) name(taken.runs[*used.other_end->run]);
  }
  return computation;
}

}  // namespace scalediag::predict
