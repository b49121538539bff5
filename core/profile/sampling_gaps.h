// Functions with too few samples to be followed over the configurations, and the repeats that would do.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::core {

// A kernel below this many samples at some configuration has no curve that could be followed, only noise: its relative
// error there is above 1 / sqrt(10) = 32 %.
constexpr double kFewestSamples = 10;

// Whether a kernel with `samples` at the configurations `points` (the processes and further parameters of each) can be
// followed: it has enough everywhere; or, along the processes alone, at the two largest scales, since it may grow into
// one that matters; with further parameters wherever each of them, and the processes, have two values with enough, the
// largest one of the processes among them. Small problems leave many kernels few samples, which says nothing about
// large ones.
bool has_enough_samples(const std::vector<double>& samples, const std::vector<std::vector<double>>& points);

struct SamplingGap {
  int np = 0;
  std::map<std::string, double> parameters;
  double share = 0;                    // of the run's time, in the functions that cannot be followed
  std::vector<std::string> functions;  // their names, by falling time
  int fewest_repeats = 0;              // how many more of them give the first of these enough samples; 0: no gap
  int repeats = 0;                     // and all of them
};

// The gaps of all configurations, by np and parameters. Functions that nowhere have 1 % of the time are not looked at.
// `runs` are complete.
std::vector<SamplingGap> sampling_gaps(std::span<const Run> runs);

}  // namespace scalediag::core
