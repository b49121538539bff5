#include "predict/improve/improvement.h"

#include <algorithm>
#include <cmath>

#include "fit/application/interval_sum.h"
#include "loggp/phases/scaling_model.h"
#include "predict/backtest.h"
#include "predict/sources/replayed_computation.h"

namespace scalediag::predict {
namespace {

constexpr double kStart_s = 0.4;     // of a rank that is replayed, elapsed: 64 ranks of nine programs took 22 to 33 s
constexpr double kRecording = 1.5;   // times a run without it
constexpr int kReplays = 3;          // of each rank, where the budget allows
constexpr int kRepeatsMore = 2;      // of a scale that has few, and of a new one
constexpr double kMuchNoise = 0.05;  // coefficient of variation
constexpr double kLeastGain = 1.05;  // of widths

// `e` with half of its interval, in logarithms, times `factor`.
Estimate narrowed(const Estimate& e, double factor) {
  if (!(e.low > 0 && e.value > 0)) return e;
  return {e.value, e.value * std::pow(e.low / e.value, factor), e.value * std::pow(e.high / e.value, factor), e.level};
}

bool was_taken(const ImprovementInput& input, StepKind kind, int ranks) {
  return std::any_of(input.taken.begin(), input.taken.end(),
                     [&](const Step& step) { return step.kind == kind && step.ranks == ranks; });
}

// Work is shared by more ranks or grows with them: the larger of the two is what a run is given.
double elapsed_of(const ImprovementInput& input, int ranks) {
  const double all_s = ranks * input.computation.value / input.cores;
  return std::max(input.run_s, all_s) + kStart_s / input.cores * (ranks - input.scales.back());
}

}  // namespace

const char* name_of(StepKind kind) {
  return kind == StepKind::kReplay ? "replay" : kind == StepKind::kScale ? "scale" : "repeats";
}

double width_of(const ImprovementInput& input, const Estimate& computation, double of_others) {
  std::vector<Estimate> parts;
  for (const Estimate& other : input.others) parts.push_back(narrowed(other, of_others));
  parts.push_back(computation);
  const Estimate sum = fit::sum_of(parts, computation.level);
  return sum.low > 0 ? sum.high / sum.low : HUGE_VAL;
}

std::optional<NextScale> next_scale(const ImprovementInput& input) {
  if (input.is_replayed || input.scales.size() < 2) return std::nullopt;
  const int largest = input.scales.back(), next = loggp::next_scale(input.scales, input.target);
  if (next <= largest || next >= input.target) return std::nullopt;
  const double before = std::max(1.0, steps_beyond(input.target, largest, input.scales[input.scales.size() - 2]));
  const double after = std::max(1.0, steps_beyond(input.target, next, largest));
  return NextScale{next, width_of(input, narrowed(input.computation, after / before))};
}

std::vector<Step> steps_of(const ImprovementInput& input) {
  const double now = width_of(input, input.computation);
  const int largest = input.scales.back();
  std::vector<Step> steps;
  const auto offer = [&](Step step) {
    if (!was_taken(input, step.kind, step.ranks) && step.expected_width * kLeastGain <= now) steps.push_back(step);
  };
  if (!input.is_replayed && input.can_replay && input.target > largest) {
    const double runs_s = (1 + kRecording) * elapsed_of(input, input.target);
    const double replays_s = input.target * (kStart_s + input.computation.value);
    const int repeats = runs_s + kReplays * replays_s <= input.left_s ? kReplays : 1;
    const Estimate replayed = replayed_estimate(input.computation.value, input.computation.level);
    offer({StepKind::kReplay, input.target, runs_s + repeats * replays_s, width_of(input, replayed, 0), repeats});
  }
  if (const auto next = next_scale(input)) {
    offer({StepKind::kScale, next->ranks, kRepeatsMore * elapsed_of(input, next->ranks), next->width});
  }
  if (!input.is_replayed && input.noise > kMuchNoise && input.repeats > 0) {
    // The noise is a part of the interval at most, in squares.
    const double half = std::log(input.computation.high / input.computation.low) / 2;
    const double of_noise = std::min(half, 1.645 * input.noise / std::sqrt(input.repeats));
    const double less = of_noise * std::sqrt(input.repeats / static_cast<double>(input.repeats + kRepeatsMore));
    const double rest = std::sqrt(half * half - of_noise * of_noise + less * less);
    offer({StepKind::kRepeats, largest, kRepeatsMore * input.run_s,
           width_of(input, narrowed(input.computation, rest / half))});
  }
  const auto worth = [now](const Step& step) { return std::log(now / step.expected_width) / step.cost_s; };
  std::stable_sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) { return worth(a) > worth(b); });
  return steps;
}

std::string text_of(const Step& step) {
  const std::string ranks = std::to_string(step.ranks);
  switch (step.kind) {
    case StepKind::kReplay: return "record a run of " + ranks + " ranks and replay each of them alone";
    case StepKind::kScale: return "measure np=" + ranks;
    case StepKind::kRepeats: return "repeat np=" + ranks;
  }
  return "";
}

}  // namespace scalediag::predict
