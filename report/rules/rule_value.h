// The values that rules are held against, with their intervals and origins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "report/findings/findings.h"
#include "report/rules/rule.h"

namespace scalediag::report {

// A value with its 90 % interval. Without both ends nothing is known about its error; with a lower end alone it has no
// upper one.
struct RuleValue {
  double value = 0;
  std::optional<double> low, high;
};
constexpr double kRuleLevel = 0.9;

// The source of a kernel: a path as the debug information has it, empty where it is not known, and a line, 0 likewise.
struct KernelPlace {
  std::string file;
  int line = 0;
};

// The facts about a table of timings that rules depend on.
struct TableNames {
  std::string whole_program;  // the call path that stands for it; empty: none does
  bool in_seconds = false;    // false: nothing says the unit of its times
};

struct RuleDomain {
  std::vector<std::string> parameter_names;
  size_t processes = 0;                     // index of the number of processes
  bool whole_processes = false;             // true: only whole numbers of processes make sense
  std::vector<std::vector<double>> points;  // the measured configurations
};

// The origin of a value, the most reliable first.
enum class Origin {
  kMeasured,  // the runs of that configuration, as `show` prints them
  kModelled,  // those runs, and a model for times that could not be measured in them
  kPredicted,
};
const char* name_of(Origin origin);  // "measured", "modelled", "predicted"

struct RuleFact {
  RuleValue value;
  Origin origin = Origin::kPredicted;
  std::string formula;                         // of the model behind it, where there is one
  std::string evidence;                        // the parts of the value
  std::optional<bool> scales;                  // kScales: the verdict; empty: the data do not decide it
  std::string error_unknown = "too few runs";  // the reason for a missing interval
};

// The mean of the repeats at exactly this configuration with Student's interval, which is never narrower than that of
// the relative standard error `known_error`. A single value has no interval, unless it is an exact count. Empty where
// nothing was measured.
std::optional<RuleValue> observed(const fit::Series& series, const std::vector<double>& at, double known_error,
                                  bool exact);

// The value and the interval of an estimate.
RuleValue rule_value(const Estimate& estimate);

// The slope d log(value) / d log(processes) from `reference` at `from` processes to `estimate` at `to`. Preconditions:
// to > from, both positive. Empty where a value is not positive.
std::optional<RuleValue> growth_between(double reference, double from, const Estimate& estimate, double to);

// The place of `values[which]` among them, 1 for the largest, with the range of places that the intervals allow.
RuleValue rank_of(const std::vector<RuleValue>& values, size_t which);

// TargetFindings::is_unchecked; false where nothing was predicted.
bool is_unchecked(const Findings& findings, size_t target);
// A rank that two scales leave open: it may be any of `places`, and the evidence says why.
void leave_rank_open(size_t places, RuleFact& fact);

}  // namespace scalediag::report
