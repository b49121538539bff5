// Steps that narrow the interval of a prediction, with the cost of each and the width that is expected after it.
//
// A width is high / low of the run's 90 % interval. It is expected from how the interval is made:
//
//   replay at the target  computation has the interval of replays (sources/replayed_computation.h); the run is traced
//                         as well, so that messages and waiting are those of the target
//   another scale         twice the largest, or the next square or cube where all are: half of computation's interval,
//                         in logarithms, shrinks as the steps that the target lies beyond the measured scales
//                         (backtest.h), of at least one step
//   repeats               the part of it that is noise shrinks as the root of the number of repeats
//
// Ranks take turns on the cores, so that a run of more ranks takes as long as the computation of all of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/prediction.h"

namespace scalediag::predict {

enum class StepKind { kReplay, kScale, kRepeats };

const char* name_of(StepKind kind);  // "replay", "scale", "repeats"

struct Step {
  StepKind kind = StepKind::kReplay;
  int ranks = 0;      // of the runs that it makes
  double cost_s = 0;  // elapsed
  double expected_width = 1;
  int repeats = 1;  // replays of each rank
};

// What is known before a step.
struct ImprovementInput {
  // Of the run at the target, a rank in the mean: computation, and each other part that adds up to the run.
  Estimate computation;
  std::vector<Estimate> others;
  bool is_replayed = false;  // at the target
  bool can_replay = true;    // replays_tell_computation()
  int target = 0;            // ranks
  std::vector<int> scales;   // measured, rising
  int repeats = 0;           // at the largest scale
  double noise = 0;          // coefficient of variation of the run over repeats there
  double run_s = 0;          // elapsed, of a run at the largest scale with its start and end
  int cores = 1;
  double left_s = 0;        // of the budget, when this was known
  std::vector<Step> taken;  // before; each is taken once
};

// high / low of the sum of the parts, with `computation` in place of the one that is known, and half of the others'
// intervals, in logarithms, times `of_others`.
double width_of(const ImprovementInput& input, const Estimate& computation, double of_others = 1);

// The steps that narrow the interval by 5 % or more, the one first that brings most for its time.
std::vector<Step> steps_of(const ImprovementInput& input);

// Another scale, and the width that is expected once it is measured; empty: no number of ranks of the same kind lies
// before the target, or that was replayed. Needs no times of runs.
struct NextScale {
  int ranks = 0;
  double width = 1;
};
std::optional<NextScale> next_scale(const ImprovementInput& input);

// "replay the 64 ranks of a run at the target"
std::string text_of(const Step& step);

}  // namespace scalediag::predict
