#include "cli/inputs/scaling_input.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/inputs/trace_input.h"
#include "collector/launch/store/program_comparison.h"
#include "core/experiment/experiment.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/phases/instructions/measurable_points.h"
#include "report/render/text/phases_text.h"

namespace scalediag::cli {
namespace {

void tell_uncertainties(const loggp::ScalingModel& model) {
  constexpr size_t kMostLines = 8;
  const std::vector<std::string> lines = report::uncertainty_lines(model);
  note(lines.front());
  for (size_t i = 1; i < lines.size() && i <= kMostLines; ++i) warn(lines[i]);
  if (lines.size() > kMostLines + 1) {
    warn(std::to_string(lines.size() - 1 - kMostLines) + " more reasons why operations are not regular or left open",
         "`scalediag phases DIR --np " + std::to_string(model.target) + " --all` shows them");
  }
}

// Tells which phases have the computation of a point.
core::Result<PointsOfTarget> take_points(loggp::ScalingModel& model, const std::string& folder,
                                         const std::vector<std::string>& points) {
  auto taken = use_points_of(model, folder, points);
  if (!taken) return taken;
  for (const loggp::UsedPoint& used : taken.value().use.used) {
    note("phase " + std::to_string(used.phase) + ", " + core::spaced_percent(used.share) +
         " of the instructions, computes as measured in " + taken.value().runs[used.run] + ", whose ranks execute " +
         core::spaced_percent(std::abs(used.difference)) + (used.difference < 0 ? " fewer" : " more") +
         " instructions in it");
  }
  for (const int phase : taken.value().use.without) {
    warn("phase " + std::to_string(phase) + " has no measurable point with at most " +
         core::spaced_percent(loggp::kMostPointDifference) +
         " more or fewer instructions: its computation is a power of the number of ranks, and that it falls into a "
         "cache is not known");
  }
  return taken;
}

// What ranks computed in every complete run of these numbers of ranks, the repeats of a number in their order. A repeat
// whose trace cannot be used is left out.
core::Result<std::map<int, std::vector<double>>> computation_of_runs(const std::string& path,
                                                                     const std::vector<int>& scales) {
  const core::ExperimentFolder folder(path);
  const auto experiment = folder.load();
  if (!experiment) return experiment.error();
  std::map<int, std::vector<double>> run_s;
  for (const core::RunEntry& entry : experiment.value().runs) {
    const int np = entry.configuration.np;
    if (entry.state != core::RunState::kComplete || std::count(scales.begin(), scales.end(), np) == 0) continue;
    const auto traces = loggp::read_traces(folder.run_folder(core::run_id(entry.configuration, entry.repeat)));
    const auto is_cut = [](const loggp::RankTrace& trace) { return !trace.incomplete.empty(); };
    if (!traces || std::any_of(traces.value().begin(), traces.value().end(), is_cut)) continue;
    run_s[np].push_back(loggp::mean_computation_s(traces.value()));
  }
  return run_s;
}

void tell_doubts(const std::vector<loggp::ComputationDoubt>& doubts) {
  if (doubts.empty()) return;
  const std::string apart = core::join(doubts, "; ", [](const loggp::ComputationDoubt& doubt) {
    const std::string who = doubt.ranks == loggp::WhichRanks::kFirst    ? "rank 0"
                            : doubt.ranks == loggp::WhichRanks::kOthers ? "a rank other than 0"
                                                                        : "a rank";
    return who + " computes " + core::time_text(doubt.scaled_s) + " by its events and " +
           core::time_text(doubt.by_total_s) + " by the whole of the measured ranks";
  });
  warn("the computation of the scaled trace is in doubt: " + apart + ", to which it is scaled",
       "the same work may stand before other events at some numbers of ranks: leave out the one that differs "
       "(scale --leave-out)");
}

// What the points leave open of the phases that were taken from them: their instructions differ, and those at the
// target are known within a range.
double relative_error_of(const PointsOfTarget& taken) {
  double most = 0;
  for (const loggp::UsedPoint& used : taken.use.used) {
    double range = 0;
    for (const loggp::PhaseInstructions& phase : taken.predicted) {
      if (phase.phase != used.phase || !(phase.mean_at_target > 0)) continue;
      range = std::max(phase.high - phase.mean_at_target, phase.mean_at_target - phase.low) / phase.mean_at_target;
    }
    most = std::max(most, std::max(std::abs(used.difference), range));
  }
  return most;
}

std::string text_of(const loggp::Unmatched& messages) {
  return std::to_string(messages.messages) + " messages of the scaled trace have no partner" +
         (messages.most.empty() ? "" : ", most of them of " + messages.most) + ", such as the one " + messages.example;
}

// The command that records the number of ranks that says most. More of them mend what the measured ones leave open, and
// not a program most of whose events obey no equation.
std::string next_scale_hint(const loggp::ScalingModel& model, int np, const std::string& folder) {
  if (2 * model.regular_events < model.events) {
    return core::spaced_percent(1 - model.share(model.regular_events), 0) +
           " of the events obey no equation, which more numbers of ranks do not change: `scalediag emulate -n " +
           std::to_string(np) + " --network NET -- APP` needs none";
  }
  const int next = loggp::next_scale(model.scales, np);
  std::set<int> scales(model.scales.begin(), model.scales.end());
  scales.insert(next);
  const std::string command = "`scalediag profile -n " + core::list_of(scales) + " --trace -o " + folder + " -- APP`";
  return next == np ? "record " + std::to_string(np) + " ranks themselves with " + command
                    : "record " + std::to_string(next) + " ranks, too, with " + command + " and try again";
}

// Error (kInput): `point` is an experiment of another program than `folder`'s.
core::Status check_program_of_point(const std::string& folder, const std::string& point) {
  const auto ours = core::ExperimentFolder(folder).load(), theirs = core::ExperimentFolder(point).load();
  if (!ours) return ours.error();
  if (!theirs) return theirs.error();
  const auto compared = launch::compare_programs({point, theirs.value(), {}}, {folder, ours.value(), {}});
  if (compared.other_program.empty()) return core::Done{};
  return core::Error{core::ErrorCode::kInput, compared.other_program, "measure another input of the same program",
                     point};
}

}  // namespace

core::Result<PointsOfTarget> use_points_of(loggp::ScalingModel& model, const std::string& folder,
                                           const std::vector<std::string>& points) {
  PointsOfTarget taken;
  taken.predicted = loggp::instructions_of(model);
  if (taken.predicted.empty()) return not_counted(folder);
  std::vector<std::vector<loggp::RankTrace>> runs;
  for (const std::string& point : points) {
    if (const core::Status same = check_program_of_point(folder, point); !same) return same.error();
    auto found = read_runs(point);
    if (!found) return found.error();
    for (NamedRun& run : found.value()) {
      taken.runs.push_back(run.name);
      runs.push_back(std::move(run.traces));
    }
  }
  auto use = loggp::use_points(taken.predicted, model, runs);
  if (!use) return use.error();
  taken.use = std::move(use.value());
  return taken;
}

report::PointComputation point_computation(const PointsOfTarget& taken) {
  report::PointComputation computation;
  computation.without = taken.use.without;
  computation.relative_error = relative_error_of(taken);
  for (const loggp::UsedPoint& used : taken.use.used) {
    computation.share += used.share;
    if (std::abs(used.difference) > std::abs(computation.difference)) computation.difference = used.difference;
    const std::string& run = taken.runs[used.run];
    if (std::count(computation.runs.begin(), computation.runs.end(), run) == 0) computation.runs.push_back(run);
  }
  return computation;
}

core::Error not_counted(const std::string& folder) {
  return {core::ErrorCode::kInput, folder + " has no counted instructions",
          "record it with `scalediag profile --trace --counters simulated --simulate-ranks all`", folder};
}

core::Result<loggp::ScalingModel> read_scaling_model(const std::string& path, const std::vector<int>& leave_out,
                                                     int target) {
  const auto experiment = core::ExperimentFolder(path).load();
  if (!experiment) return experiment.error();
  const auto is_left_out = [&](int np) { return std::count(leave_out.begin(), leave_out.end(), np) > 0; };
  std::set<int> recorded, scales;
  std::map<std::map<std::string, double>, std::string> inputs;  // a run of each
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (entry.state != core::RunState::kComplete) continue;
    recorded.insert(entry.configuration.np);
    if (is_left_out(entry.configuration.np)) continue;
    scales.insert(entry.configuration.np);
    inputs.emplace(entry.configuration.parameters, core::run_id(entry.configuration, entry.repeat));
  }
  for (const int np : leave_out) {
    if (recorded.count(np) > 0) continue;
    return core::Error{core::ErrorCode::kInput,
                       "--leave-out " + std::to_string(np) + ": " + path + " has no complete run with that many ranks",
                       "it has runs with " + core::list_of(recorded), path};
  }
  if (inputs.size() > 1) {
    return core::Error{
        core::ErrorCode::kInput,
        path + " holds runs of different inputs: " + inputs.begin()->second + " and " + inputs.rbegin()->second,
        "record several numbers of ranks of one input in a folder of its own", path};
  }
  std::vector<std::vector<loggp::RankTrace>> traces;
  for (const int np : scales) {
    const auto folder = find_trace_folder(path, np, "");
    if (!folder) {
      core::Error error = folder.error();
      // One number of ranks says nothing about others.
      if (!experiment.value().traced) {
        error.hint = "record all of them with `scalediag profile --trace -o ANOTHER_FOLDER -n " +
                     core::list_of(recorded.size() > 1 ? recorded : std::set<int>{2, 4, 8, 16}) + " -- APP`";
      }
      return error;
    }
    auto read = read_recorded_traces(folder.value());
    if (!read) return read.error();
    traces.push_back(std::move(read.value()));
  }
  auto model = loggp::model_of(traces, target, loggp::unmatched_at_target);
  if (model) return model;
  core::Error error = model.error();
  error.message = path + ": " + error.message;
  error.where = path;
  return error;
}

bool has_only_other_scales(const std::string& folder, int np) {
  const auto experiment = core::ExperimentFolder(folder).load();
  if (!experiment || !experiment.value().traced) return false;
  const auto& runs = experiment.value().runs;
  return std::none_of(runs.begin(), runs.end(), [np](const core::RunEntry& entry) {
    return entry.state == core::RunState::kComplete && entry.configuration.np == np;
  });
}

core::Result<std::vector<NamedRun>> read_runs(const std::string& path) {
  const auto experiment = core::ExperimentFolder(path).load();
  if (!experiment) return experiment.error();
  std::vector<NamedRun> runs;
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (entry.state != core::RunState::kComplete || entry.repeat != 0) continue;
    const std::string id = core::run_id(entry.configuration, entry.repeat);
    const auto folder = find_trace_folder(path, 0, id);
    if (!folder) return folder.error();
    auto traces = read_recorded_traces(folder.value());
    if (!traces) return traces.error();
    runs.push_back({path + "/" + id, std::move(traces.value())});
  }
  return runs;
}

void tell_unmatched(const loggp::ScaledTraces& traces, const std::string& folder) {
  const std::string hint = next_scale_hint(traces.model(), traces.ranks(), folder);
  if (traces.left_out().messages > 0) warn(text_of(traces.left_out()) + ": they are left out", hint);
  if (traces.unmatched().messages == 0) return;
  warn(text_of(traces.unmatched()) + ": " + traces.unmatched().why_there + ", and it cannot be simulated", hint);
}

std::optional<core::Error> unmatched_error(const loggp::ScaledTraces& traces, const std::string& folder) {
  if (traces.unmatched().messages == 0) return std::nullopt;
  return core::Error{core::ErrorCode::kInput, text_of(traces.unmatched()) + ": it cannot run to its end",
                     next_scale_hint(traces.model(), traces.ranks(), folder), folder};
}

core::Result<loggp::ScaledTraces> read_scaled_traces(const std::string& folder, const std::vector<int>& leave_out,
                                                     int np, const std::vector<std::string>& points,
                                                     uint64_t most_rounds,
                                                     std::optional<report::ScaledComputation>* computation) {
  auto model = read_scaling_model(folder, leave_out, np);
  if (!model) return model.error();
  std::optional<report::PointComputation> taken;
  if (!points.empty()) {
    const auto used = take_points(model.value(), folder, points);
    if (!used) return used.error();
    if (!used.value().use.used.empty()) taken = point_computation(used.value());
  }
  tell_uncertainties(model.value());
  loggp::ScaledTraces traces(std::move(model.value()), np, most_rounds);
  tell_unmatched(traces, folder);
  // Measurable points say what they compute.
  if (points.empty()) tell_doubts(loggp::scale_to_total(traces));
  if (computation == nullptr) return traces;
  auto run_s = computation_of_runs(folder, traces.model().scales);
  if (!run_s) return run_s.error();
  auto scaled = report::scaled_computation({std::move(run_s.value()), loggp::measured_phases(traces.model())}, np,
                                           loggp::mean_computation_s(traces), taken);
  if (scaled) {
    *computation = std::move(scaled.value());
  } else {
    warn("the computation of the scaled trace has no interval: " + scaled.error().message, scaled.error().hint);
  }
  return traces;
}

}  // namespace scalediag::cli
