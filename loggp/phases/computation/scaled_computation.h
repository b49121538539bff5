// The computation of scaled traces, held against what the whole computation of measured ranks leads to; and what was
// measured, for those who say how far the scaled one may be off.
//
// Computation is extrapolated event by event, and none falls below 0, so that noise of many events does not cancel. And
// where the same work stands before one event at some scales and before another at others, each has a trend that the
// work has not. From 2 to 16 ranks of five programs to 64, events led to 1.2 to 2.9 times what replayed ranks took
// there, the whole to 0.7 to 1.25 times.
#pragma once

#include <map>
#include <vector>

#include "loggp/phases/scaled/scaled_trace.h"

namespace scalediag::loggp {

enum class WhichRanks { kAll, kFirst, kOthers };

struct ComputationDoubt {
  double scaled_s = 0;    // event by event, the mean over the ranks that are meant
  double by_total_s = 0;  // what the means of the same ranks at the measured scales lead to
  WhichRanks ranks = WhichRanks::kAll;
};

// Scales what ranks compute to what their whole computation leads to, and returns where the two differ by
// kLargestDifference or more. The latter is divided_hypothesis() of the means at the measured scales beyond one rank. A
// rank 0 that computes more than any other at all of these scales has what the others lead to, and such an equation of
// what it does besides; one that is otherwise no rank like the others (ComputationHypothesis) has one of its own.
// Nothing is done where fewer than two of these scales were measured.
constexpr double kLargestDifference = 2;
std::vector<ComputationDoubt> scale_to_total(ScaledTraces& traces);

// Lets the ranks differ. At the largest measured scale ranks differ from what their place in the grid leads to; those
// of the scaled traces are taken to differ as much, each as one of these, and to compute together what they did.
// Nothing is done with fewer than 4 ranks that could differ.
void let_ranks_differ(ScaledTraces& traces);

// Seconds of computation of a rank, mean over ranks, what it computes after its last event included.
double mean_computation_s(const ScaledTraces& traces);
double mean_computation_s(const std::vector<RankTrace>& run);
double computation_s(const RankTrace& trace);  // the same of a rank

// The computation of a part of the program at the measured scales.
struct PhaseComputation {
  int phase = 0;                 // in the order of the program, from 1; 0: all that is in none of the others
  std::map<int, double> mean_s;  // by number of ranks: of a rank, mean over ranks
};

// The phases with most of the computation (ProgramPhase::relevant) in the order of the program, and then the rest. At
// each scale they add up to what a rank computes in the mean.
std::vector<PhaseComputation> measured_phases(const ScalingModel& model);

}  // namespace scalediag::loggp
