#include "cli/inputs/improvement_input.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <thread>

#include "core/profile/run_summary.h"
#include "core/statistics.h"
#include "core/text/quantities.h"
#include "predict/sources/replayed_computation.h"

namespace scalediag::cli {
namespace {

using predict::Step;

}  // namespace

core::Result<predict::ImprovementInput> runs_for_steps(const MeasurementInput& input) {
  predict::ImprovementInput known;
  std::set<int> scales;
  for (const core::RunEntry& run : input.experiment->runs) {
    if (run.state == core::RunState::kComplete) scales.insert(run.configuration.np);
  }
  if (scales.empty()) {
    return core::Error{core::ErrorCode::kInput, input.path + " has no complete run", "`scalediag profile` makes them",
                       input.path};
  }
  known.scales.assign(scales.begin(), scales.end());
  std::vector<double> elapsed;
  for (const core::RunEntry& run : input.experiment->runs) {
    if (run.state != core::RunState::kComplete || run.configuration.np != known.scales.back()) continue;
    elapsed.push_back(run.elapsed_s);
  }
  known.repeats = static_cast<int>(elapsed.size());
  known.run_s = core::median(elapsed);
  known.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  known.left_s = kImproveBudget_s;
  std::vector<const core::Run*> repeats;
  for (const core::Run& run : input.profile->runs) {
    if (run.complete && run.np == known.scales.back()) repeats.push_back(&run);
  }
  if (repeats.size() > 1) known.noise = core::judge_stability(repeats).run_cv;
  known.can_replay = predict::replays_tell_computation(input.profile->runs);
  return known;
}

double worth_of(const Step& step, double width) { return std::log(width / step.expected_width) / step.cost_s; }

std::optional<Step> first_step(const MeasurementInput& input, const report::Findings& findings) {
  const core::Result<predict::ImprovementInput> known = runs_for_steps(input);
  if (!known) return std::nullopt;
  std::optional<Step> best, shortest;
  double most = 0;
  for (const report::TargetFindings& target : findings.targets) {
    if (!target.run_s || !target.computation_s) continue;
    const double width =
        target.run_s->low > 0 ? target.run_s->high / target.run_s->low : std::numeric_limits<double>::infinity();
    for (const Step& step : predict::steps_of(report::with_parts_of(target, known.value()))) {
      if (!shortest || step.cost_s < shortest->cost_s) shortest = step;
      const double worth = worth_of(step, width);
      if (step.cost_s > kImproveBudget_s || (best && worth <= most)) continue;
      best = step;
      most = worth;
    }
  }
  return best ? best : shortest;
}

}  // namespace scalediag::cli
