#include "cli/inputs/improvement_input.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "core/profile/run_summary.h"
#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "predict/sources/replayed_computation.h"

namespace scalediag::cli {
namespace {

using predict::Step;

// "4 s", "2 min", "3 h": no more digits than the estimate has.
std::string about(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  const bool is_short = seconds<1.5 * kMinute, is_long = seconds> 1.5 * kHour;
  const double unit = is_short ? 1 : is_long ? kHour : kMinute;
  return core::fixed(std::max(1.0, std::round(seconds / unit)), 0) + (is_short ? " s" : is_long ? " h" : " min");
}

std::string with_time(const Step& step) { return predict::text_of(step) + ", about " + about(step.cost_s); }

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

std::string steps_text(const MeasurementInput& input, const report::Findings& findings) {
  const core::Result<predict::ImprovementInput> known = runs_for_steps(input);
  if (!known) return "";
  struct Possible {
    Step step;
    double worth = 0;
  };
  std::vector<Possible> possible;
  for (const report::TargetFindings& target : findings.targets) {
    if (!target.run_s || !target.computation_s) continue;
    const double width =
        target.run_s->low > 0 ? target.run_s->high / target.run_s->low : std::numeric_limits<double>::infinity();
    for (const Step& step : predict::steps_of(report::with_parts_of(target, known.value()))) {
      possible.push_back({step, worth_of(step, width)});
    }
  }
  if (possible.empty()) return "";
  std::stable_sort(possible.begin(), possible.end(),
                   [](const Possible& a, const Possible& b) { return a.worth > b.worth; });
  std::vector<Step> steps;
  double left_s = kImproveBudget_s;
  for (const Possible& p : possible) {
    const auto is_same = [&](const Step& step) { return step.kind == p.step.kind && step.ranks == p.step.ranks; };
    if (p.step.cost_s > left_s || std::ranges::any_of(steps, is_same)) continue;
    steps.push_back(p.step);
    left_s -= p.step.cost_s;
  }
  if (!steps.empty()) return core::join(steps, "; ", with_time);
  const auto shortest = std::ranges::min_element(possible, {}, [](const Possible& p) { return p.step.cost_s; });
  return with_time(shortest->step) + ", with a larger --budget";
}

}  // namespace scalediag::cli
