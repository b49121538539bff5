#include "cli/inputs/scaling_input.h"

#include <cmath>
#include <utility>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/inputs/evidence/lone_input.h"
#include "cli/inputs/remarks.h"
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

void tell_uncertainties(const std::vector<std::string>& lines, int target) {
  constexpr size_t kMostLines = 8;
  note(lines.front());
  for (size_t i = 1; i < lines.size() && i <= kMostLines; ++i) warn(lines[i]);
  if (lines.size() > kMostLines + 1) {
    warn(std::to_string(lines.size() - 1 - kMostLines) + " more reasons why operations are not regular or left open",
         "`scalediag phases DIR --np " + std::to_string(target) + " --all` shows them");
  }
}

// Tells which phases have the computation of a point.
Result<PointsOfTarget> take_points(loggp::ScalingModel& model, const std::string& folder,
                                   const std::vector<std::string>& points) {
  auto taken = TRY(use_points_of(model, folder, points));
  for (const loggp::UsedPoint& used : taken.use.used) {
    const std::string who = "phase " + std::to_string(used.phase) + ", " + core::spaced_percent(used.share) +
                            " of the instructions, computes ";
    const std::string& run = taken.runs[used.run];
    if (!used.is_interpolated()) {
      note(who + "as measured in " + run + ", whose ranks execute " + core::spaced_percent(std::abs(used.difference)) +
           (used.difference < 0 ? " fewer" : " more") + " instructions in it");
      continue;
    }
    const loggp::UsedPoint::OtherEnd& other = *used.other_end;
    note(who + "between " + run + " and " +
         (other.run ? taken.runs[*other.run] : folder + " on " + std::to_string(other.ranks) + " ranks") +
         ", whose ranks execute " + (used.difference < 0 ? "fewer and more" : "more and fewer") +
         " instructions in it, within " + core::spaced_percent(used.error));
  }
  for (const int phase : taken.use.without) {
    warn("phase " + std::to_string(phase) + " has no measurable point with at most " +
         core::spaced_percent(loggp::kMostPointDifference) +
         " more or fewer instructions, and no two at most a factor " + core::fixed(loggp::kMostPointDistance, 0) +
         " apart with more and fewer: its computation is a power of the number of ranks, and that it falls into a "
         "cache is not known");
  }
  return taken;
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

// Error (kInput): `point` is an experiment of another program than `folder`'s.
Status check_program_of_point(const std::string& folder, const std::string& point) {
  const auto ours = TRY(core::ExperimentFolder(folder).load());
  const auto theirs = TRY(core::ExperimentFolder(point).load());
  const auto compared = launch::compare_programs({point, theirs, {}}, {folder, ours, {}});
  if (compared.other_program.empty()) return Done{};
  return Error{ErrorCode::kInput, compared.other_program, "measure another input of the same program", point};
}

}  // namespace

Status check_programs_of_points(const std::string& folder, const std::vector<std::string>& points) {
  for (const std::string& point : points) TRY(check_program_of_point(folder, point));
  return Done{};
}

Result<PointsOfTarget> use_points_of(loggp::ScalingModel& model, const std::string& folder,
                                     const std::vector<std::string>& points) {
  if (loggp::instructions_of(model).empty()) return not_counted(folder);
  TRY(check_programs_of_points(folder, points));
  predict::Remarks remarks;
  auto taken = predict::use_points_of(model, folder, points, remarks);
  tell(remarks);
  return taken;
}

Result<std::vector<NamedRun>> read_runs(const std::string& path) {
  predict::Remarks remarks;
  auto runs = predict::read_runs(path, remarks);
  tell(remarks);
  return runs;
}

Result<loggp::ScalingModel> read_scaling_model(const std::string& path, const std::vector<int>& leave_out, int target,
                                               const predict::LoneRanks& lone) {
  predict::Remarks remarks;
  auto model = predict::read_scaling_model(path, leave_out, target, remarks, lone);
  tell(remarks);
  return model;
}

void tell_unmatched(const loggp::ScaledTraces& traces, const std::string& folder) {
  const std::string hint = predict::next_scale_hint(traces.model(), traces.ranks(), folder);
  if (traces.left_out().messages > 0) warn(predict::text_of(traces.left_out()) + ": they are left out", hint);
  if (traces.unmatched().messages == 0) return;
  warn(predict::text_of(traces.unmatched()) + ": " + traces.unmatched().why_there + ", and it cannot be simulated",
       hint);
}

Result<loggp::ScaledTraces> read_scaled_traces(const std::string& folder, const std::vector<int>& leave_out, int np,
                                               const std::vector<std::string>& points, uint64_t most_rounds,
                                               std::optional<predict::ScaledComputation>* computation,
                                               bool is_silent_of_unmatched) {
  const predict::LoneRanks lone = tell_lone_ranks(folder);
  auto model = TRY(read_scaling_model(folder, leave_out, np, lone));
  std::optional<predict::PointComputation> taken;
  if (!points.empty()) {
    const auto used = TRY(take_points(model, folder, points));
    if (!used.use.used.empty()) taken = point_computation(used);
  }
  const std::vector<std::string> uncertainties = report::uncertainty_lines(model);
  const int target = model.target;
  loggp::ScaledTraces traces(std::move(model), np, most_rounds);
  if (is_silent_of_unmatched && traces.unmatched().messages > 0) return traces;
  tell_uncertainties(uncertainties, target);
  tell_unmatched(traces, folder);
  // Measurable points say what they compute.
  if (points.empty()) tell_doubts(loggp::scale_to_total(traces));
  loggp::let_ranks_differ(traces);
  if (computation == nullptr) return traces;
  auto run_s = TRY(predict::computation_of_runs(folder, traces.model().scales, lone));
  auto scaled = predict::scaled_computation({std::move(run_s), loggp::measured_phases(traces.model())}, np,
                                            loggp::mean_computation_s(traces), taken);
  if (scaled) {
    *computation = std::move(scaled.value());
  } else {
    warn("the computation of the scaled trace has no interval: " + scaled.error().message, scaled.error().hint);
  }
  return traces;
}

}  // namespace scalediag::cli
