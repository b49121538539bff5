// The input of a model: measured values of one metric of one kernel at several configurations.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace scalediag::fit {

// A limit beyond any time, count or size, which keeps estimates finite whatever was measured. Readers leave larger
// values out.
constexpr double kLargestValue = 1e300;

// One configuration and its measured values.
struct Observation {
  std::vector<double> at;      // one value per parameter, in the order of Series::parameter_names; positive
  std::vector<double> values;  // the repeats, in the metric's unit; not negative
};

// The processes of a configuration, which are its first parameter in data that have a parameter of processes.
inline double process_count(std::span<const double> at) { return at.front(); }

// Observations at equal `at` are repeats of one another; order does not matter.
struct Series {
  std::vector<std::string> parameter_names;  // "p" or "np" is the number of processes, see FitOptions::processes
  std::string metric;                        // "time_s", "instructions", ...
  std::string kernel;                        // name or call path
  std::vector<Observation> observations;
  // Values were extended from a part of a run (core::CutRounds): none is exact, however well they agree.
  bool is_estimate = false;
};

// The number of distinct values of a parameter that is needed: below kScalesForTrend there is no model, below
// kScalesForCheck there is one whose trend could not be checked, which it says in notes().
constexpr size_t kScalesForTrend = 2;
constexpr size_t kScalesForCheck = 3;

}  // namespace scalediag::fit
