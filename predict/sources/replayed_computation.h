// The computation of ranks at a target, measured there by replaying them (`scalediag replay`) instead of predicted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/profile/profile.h"
#include "fit/curves/model.h"

namespace scalediag::predict {

struct TracedProgram;

struct ReplayedComputation {
  std::string folder;      // in which the ranks were recorded and replayed
  int ranks = 0;           // of the recorded run
  int replayed = 0;        // of them; the others compute what those of their group do
  size_t repeats = 1;      // of the rank that was replayed least often
  double mean_s = 0;       // over all ranks, CPU time
  double most_s = 0;       // of the rank that computes longest
  double predicted_s = 0;  // the mean as it would be predicted
  // The run's trace, its computations as they were replayed; null: the run was not traced.
  std::shared_ptr<const TracedProgram> traced;

  // By how much functions are multiplied, so that they add up to what was replayed.
  double factor() const { return predicted_s > 0 ? mean_s / predicted_s : 1; }
};

// A replayed time with the range in which real runs lay: CG, MG, LU, IS, FT and EP of NPB on two ranks took 0.90 to
// 1.28 times as long as their replays, alone and together (docs/replay.md).
fit::Estimate replayed_estimate(double seconds, double level);

// False of programs that use GPUs: replays count the CPU time in their libraries as computation, and profiles do not.
bool replays_tell_computation(std::span<const core::Run> runs);

// "computation is that of 9 replayed ranks, ..."
std::string text_of(const ReplayedComputation& replayed);

}  // namespace scalediag::predict
