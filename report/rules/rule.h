// A rule that a program's scaling has to keep, as `scalediag check` takes it:
//
//   rule       = scales | value comparison limit | time comparison history
//   scales     = "scales" "(" kernel [ "," at ] ")"
//   value      = quantity "(" at ")"                          total(np=512)
//              | kernel "." property "(" at ")"               kernel('solve').share(np=64)
//              | kernel "." "metric" "(" text "," at ")"      kernel('solve').metric('instructions', np=64)
//              | "growth" "(" ( kernel | quantity ) [ "," at ] ")"
//   time       = ( "total" | "run" ) "(" [ at ] ")"           total()
//              | kernel ".time" "(" [ at ] ")"
//              | "time" "(" "kernel" "=" ( name | text | "*" ) [ "," at ] ")"    time(kernel=*)
//   history    = "history" [ "+" number "%" ]                 what earlier experiments took, with their noise
//   kernel     = "kernel" "(" text ")"
//   at         = name "=" number { "," name "=" number }
//   comparison = "<" | "<=" | ">" | ">="                      of a history the first two
//   limit      = [ "-" ] number [ unit ]
//   text       = '...' or "..."; the quote itself is written twice
//
// Blanks may stand between all parts. A limit of a time needs its unit.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace scalediag::report {

enum class Quantity {
  kTotal,  // times of the whole program, a rank in the mean
  kRun,    // times of the whole program without start and end
  kComputation,
  kGpu,
  kCommunication,
  kWaiting,
  kOthers,
  kSpeedup,
  kEfficiency,
  kKernelTime,
  kKernelShare,
  kKernelRank,
  kKernelMetric,
  kGrowth,
  kScales,
};

enum class Relation { kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
const char* text_of(Relation comparison);  // "<="

// The kind of unit that a quantity has, which decides the units of its limit.
enum class Dimension { kTime, kBytes, kRatio, kNumber };

struct RuleTarget {
  std::string parameter;
  double value = 0;
  size_t column = 0;  // of the name, from 1
};

struct Rule {
  std::string text;   // as written
  std::string where;  // "rules.txt:3"; empty: on the command line
  Quantity quantity = Quantity::kTotal;
  Quantity grows = Quantity::kTotal;  // kGrowth: the quantity whose growth it is; kKernelTime for a kernel
  std::string kernel;                 // as written; empty: the whole run
  size_t kernel_column = 0;
  std::string metric;  // of kKernelMetric
  size_t metric_column = 0;
  std::vector<RuleTarget> at;             // empty: growth and scales beyond the measured scales
  Relation comparison = Relation::kLess;  // not of kScales
  double limit = 0;                       // in seconds, bytes, or as it stands
  // The relative change that the history allows beyond its noise; empty: the limit is a number. Without `at` the rule
  // is about every measured configuration, and with kEveryKernel about every kernel.
  std::optional<double> history;
};
constexpr char kEveryKernel[] = "*";

Dimension dimension_of(const Rule& rule);

// "rule 'total(np=4)<1s', column 7: WHAT", for errors that show only when a rule is applied to data.
core::Error rule_error(const Rule& rule, size_t column, const std::string& what, const std::string& hint);

// The names of quantities and properties with their meanings, for a help text: ("total(np=512)<120s", "time of ...").
std::span<const std::pair<const char*, const char*>> rule_examples();

}  // namespace scalediag::report
