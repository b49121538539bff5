// The time that earlier experiments of a program took, and the limit that a new one has to keep.
//
// An experiment's time of a kernel at a configuration is x = the median over its runs of log(time). The earlier
// experiments give the median m of their x and the spread s, their standard deviation, but at least
//
//   s_runs = 1.2533 x (standard deviation of log(time) over the runs of one experiment) / sqrt(runs),
//
// the standard error of a median of as many runs, pooled over the earlier experiments: a few experiments may agree by
// chance. Where only noise changes, x of a new experiment lies below
//
//   m + t(1 - kFalseAlarms / tests, experiments - 1) x s x sqrt(1 + 1 / experiments)
//
// with Student's t, in all but kFalseAlarms of the checks, which make `tests` comparisons each. The tolerance of the
// rule is added.
//
// A busy machine slows all functions of a run alike. Where there are kFunctionsToCompare functions, each time is
// therefore divided by the median over the other functions of (time in this run / median of the earlier runs). A
// function then counts as slower only if its seconds rose by at least half of that, too.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalediag::report {

constexpr double kFalseAlarms = 0.005;
constexpr size_t kFewestExperiments = 5;
constexpr size_t kFunctionsToCompare = 4;

// Seconds of the runs of one experiment at one configuration, by kernel; all have a value a run, in the same order.
using RunTimes = std::map<std::string, std::vector<double>>;

struct HistoryComparison {
  double value = 0;    // seconds: the new experiment's median
  double limit = 0;    // seconds that it has to stay below
  double median = 0;   // seconds: of the earlier experiments
  double spread = 0;   // s, relative
  double change = 0;   // x - m as a relative change, against the others where against_others
  double allowed = 0;  // the change that is allowed, relative
  size_t experiments = 0;
  bool against_others = false;
  bool slower = false;
};

// Compares the kernel `name` of `now` with those of `earlier` that have it. `names` are the kernels that machine noise
// is judged by; `tests` the number of comparisons in this check. Nothing: fewer than kFewestExperiments have the
// kernel, or a time of it is not positive. Preconditions: tolerance >= 0, tests > 0.
std::optional<HistoryComparison> compare_with_history(const std::string& name, const RunTimes& now,
                                                      std::span<const RunTimes> earlier,
                                                      const std::vector<std::string>& names, double tolerance,
                                                      size_t tests);

}  // namespace scalediag::report
