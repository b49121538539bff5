#include "cli/inputs/evidence/points_targets.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/scaling_input.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "predict/sources/simulated_communication.h"

namespace scalediag::cli {
namespace {

Result<double> computation_of_rank(loggp::ScalingModel model, int np) {
  const auto program = TRY(loggp::ScaledProgram::of(loggp::ScaledTraces(std::move(model), np)));
  return predict::mean_computation_s(program);
}

Error none_fits(const std::vector<std::string>& points, const std::string& input, int np) {
  return {ErrorCode::kInput,
          "no run in " + core::join(points) + " has ranks that execute at most " +
              core::spaced_percent(loggp::kMostPointDifference) +
              " more or fewer instructions in a phase than those of " + std::to_string(np) + " ranks would",
          "`scalediag points " + core::quote_shell_word(input) + " " + core::join_shell_words(points) + " --np " +
              std::to_string(np) +
              "` shows by how much they differ: measure a smaller or a larger input, with --trace "
              "--counters simulated --simulate-ranks all",
          points.front()};
}

using KnownPoints = std::map<predict::Target, predict::PointComputation>;

// Targets at which points have much less of the instructions than at the target where they have most: computation
// would leave the curve of the others there.
std::vector<predict::Target> off_the_curve(const KnownPoints& known, std::vector<predict::Target> without) {
  constexpr double kMuchLess = 0.1;
  double most = 0;
  for (const auto& [at, points] : known) most = std::max(most, points.share);
  for (const auto& [at, points] : known) {
    if (points.share < most - kMuchLess) without.push_back(at);
  }
  return without;
}

}  // namespace

Result<std::map<predict::Target, predict::PointComputation>> points_targets(const std::vector<std::string>& points,
                                                                            const MeasurementInput& input,
                                                                            const fit::ApplicationData& data,
                                                                            std::vector<predict::Target>& targets) {
  if (!input.experiment || data.parameter_names.size() > 1) {
    return Error{ErrorCode::kUsage,
                 "--points is for experiment folders of programs whose only parameter is the number of processes",
                 "leave --points out, or measure one problem size into a folder of its own"};
  }
  const std::string beyond = "larger than all that were measured (" + core::to_text(data.scales().back()) + ")";
  KnownPoints known;
  std::vector<predict::Target> without;
  for (const predict::Target& at : targets) {
    const int np = at.ranks();
    if (known.count(at) > 0) continue;
    if (np <= data.scales().back()) {
      note("np=" + std::to_string(np) + " is not " + beyond + ": no point is used for it");
      continue;
    }
    auto scaling = TRY(read_scaling_model(input.path, {}, np, input.lone));
    const auto taken = TRY(use_points_of(scaling, input.path, points));
    if (taken.use.used.empty()) {
      without.push_back(at);
      continue;
    }
    const auto mean_s = TRY(computation_of_rank(std::move(scaling), np));
    predict::PointComputation computation = point_computation(taken);
    computation.mean_s = mean_s;
    known.emplace(at, std::move(computation));
  }
  if (known.empty() && !without.empty()) return none_fits(points, input.path, without.back().ranks());
  if (known.empty()) {
    return Error{ErrorCode::kUsage, "--points is for numbers of processes " + beyond + ", and no target is one",
                 "name one with --at, or leave out --points"};
  }
  std::set<int> off;
  for (const predict::Target& at : off_the_curve(known, without)) {
    off.insert(at.ranks());
    known.erase(at);
    std::erase(targets, at);
  }
  if (!off.empty()) {
    warn("np=" + core::list_of(off) + (off.size() > 1 ? " are" : " is") +
             " left out: measurable points have no runs for them, and without these computation would leave the curve "
             "of the other targets",
         none_fits(points, input.path, *off.rbegin()).hint);
  }
  return known;
}

}  // namespace scalediag::cli
