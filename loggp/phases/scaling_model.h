// The communication of a program at any number of ranks, as the traces of several numbers give it: its slots, and an
// equation for each.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/phases/slot_equations.h"
#include "loggp/phases/slots.h"

namespace scalediag::loggp {

struct ScalingModel {
  std::vector<int> scales;  // numbers of ranks, rising
  std::vector<Slot> slots;
  std::map<int, SlotEquations> equations;  // by Slot::id
  std::string executable, mpi_version;
  ValueHypothesis tail_ns;
  int target = 0;  // the number of ranks for which it is told what the measured scales leave open
  core::GridKind grid = core::GridKind::kLine;
  // A sentence: messages along sides of different grids at the target (grid_agreement.h), which is wrong, or the number
  // of ranks that was left out because of that, or because one rank alone does other things. Empty: all are of one
  // grid.
  std::string geometry;
  // Of the largest scale, all ranks: all, those that equations explain, of these those that no other equation explains
  // as well, and those that equations explain but for their bytes.
  uint64_t events = 0, regular_events = 0, certain_events = 0, placed_events = 0;

  double share(uint64_t part) const { return events > 0 ? static_cast<double>(part) / static_cast<double>(events) : 1; }
};

// Counts the messages without a partner in the traces that a model gives of its target (unmatched_at_target()).
using CountUnmatched = std::function<uint64_t(const ScalingModel&)>;
inline uint64_t none_unmatched(const ScalingModel& /*model*/) { return 0; }

// `scales`: the traces of all ranks of a run each. `target`: the number of ranks that is asked for; exchanges of bits
// are no equation where a number of ranks is no power of two. 0: default_target. Error (kInput): fewer than two
// different numbers of ranks, traces that are not complete, or of different programs, or more ranks than the target.
// `count_unmatched`: of models that explain as much, the one with the fewest such messages is taken. Where equations
// contradict one another at the target, the smallest of three scales or more is left out if they agree without it and
// explain more events; so is one rank alone, which may do other things than ranks with neighbours, if a tenth more of
// the events obey one equation each without it.
core::Result<ScalingModel> model_of(const std::vector<std::vector<RankTrace>>& scales, int target = 0,
                                    const CountUnmatched& count_unmatched = none_unmatched);

// The slots and phases of one run, whose equations hold for its own number of ranks only. Error (kInput): traces that
// are not complete, or none.
core::Result<ScalingModel> structure_of(const std::vector<RankTrace>& run);

// The pairs of events, loops folded, that model_of() holds against one another: those of each rank and of all before
// it. A million takes about a second.
double pairs_to_compare(const std::vector<std::vector<RankTrace>>& scales);

// The same with the rounds that explain most, as model_of() takes them: what the ranks of one run have in common. Error
// (kInput): as of structure_of().
core::Result<ScalingModel> model_of_run(const std::vector<RankTrace>& run);

// The next larger number of ranks of the same kind: 8 times the largest where all are cubes, else 4 times.
int default_target(const std::vector<int>& scales);

// The number of ranks that says most about the target if it is recorded, too: the next one of the same kind (cubes,
// squares, else doubles) behind the largest; the target itself where there is none before it.
int next_scale(const std::vector<int>& scales, int target);

// Sides of the program's grid along which no measured rank lies between others, while ranks of the target do: a
// sentence each.
std::vector<std::string> unseen_positions(const ScalingModel& model);

// Ranks of the target at places of the program's grid (computation_hypothesis.h) that no measured rank has, where
// computation depends on the place: a sentence; empty: there are none.
std::string unseen_places(const ScalingModel& model);

}  // namespace scalediag::loggp
