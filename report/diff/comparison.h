// A comparison of two experiments, before and after a change or on two machines: the kernels that got slower or faster,
// and those for which the repeats are too few to tell.
//
// Every configuration that both have is compared by its runs: Welch's test of the means, against differences within a
// tolerance, with the p of all kernels and configurations adjusted by Holm, those of the totals and of growth apart.
// The variance of a value that was sampled n times is taken to be no less than the square of the value over n. Notes
// tell of differences that repeats cannot show: another machine, another MPI, all functions slower by the same.
//
// A machine mostly affects all functions of a run alike. Where there are enough functions, each run's times are
// therefore divided by the median over the functions of (time in this run / mean over all runs), so that a function is
// compared with the others of the same runs. It counts as changed where that test says so and its seconds changed
// likewise. A change that most functions have in common is told in a note: its cause may be the program or the machine.
//
// A kernel that only one side has is new or gone: where all runs of that side have it, its samples are tested against
// chance, also with a single run.
//
// With the CPU clock, time in MPI is what ranks that share cores use while they wait: it is shown and not judged. Calls
// and bytes are counted and compared as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// A kernel below this share of the total on either side is shown and not judged: it is not important, and every further
// test makes other changes harder to detect.
constexpr double kShareThatIsJudged = 0.005;

enum class Change {
  kSlower,
  kFaster,
  kUnchanged,  // within the tolerance, with all of the interval
  kUnknown,    // the repeats do not tell
  kNotJudged,  // too small, or a time that cannot be judged
};
const char* name_of(Change change);  // "slower", "faster", "unchanged", "unknown", "not judged"

struct ComparedValue {
  double a = 0;  // seconds: mean over runs of the mean over ranks
  double b = 0;
  std::optional<double> relative;   // b / a - 1; nothing where a is 0
  std::optional<double> low, high;  // its interval, no lower than -1; nothing with a single run on a side
  double error_a = 0, error_b = 0;  // relative standard errors of the means, as far as they are known
  // The relative change against the other functions of the same runs, with its interval; empty where it was judged by
  // seconds.
  std::optional<double> against_others, others_low, others_high;
  std::optional<double> p;  // adjusted; nothing where it was not judged
  Change change = Change::kNotJudged;
};

struct ComparedKernel {
  std::string name;
  std::string module;  // of MPI operations empty
  std::string file;    // name of the source file where another function has the same name and module; else empty
  std::string kind;    // "function", "system", "mpi"
  ComparedValue time;
  double share = 0;                    // of the total, by the slowest rank's time; the larger of both sides
  bool in_a = false;                   // seen in any complete run of any configuration; false: the kernel is new
  bool in_b = false;                   // the same of B; false: the kernel is gone
  std::optional<double> instructions;  // relative change, where both sides counted them
  std::optional<double> calls, bytes;  // relative change, of MPI operations
};

struct ComparedConfiguration {
  Point at;
  size_t runs_a = 0;
  size_t runs_b = 0;
  ComparedValue total, computation, communication, others;
  std::optional<ComparedValue> gpu;     // in calls of GPUs' libraries, where there were any
  std::vector<ComparedKernel> kernels;  // by falling |b - a|, ties by name
};

// The exponents d log(time) / d log(processes) over the configurations that both sides have.
struct GrowthChange {
  std::string name;
  std::string module;
  double a = 0, b = 0;
  double error_a = 0, error_b = 0;  // standard errors
  double p = 1;                     // adjusted, of a change beyond kSameGrowth
  bool changed = false;
  bool same = false;                 // no change beyond kSameGrowth, with all of the interval
  std::string formula_a, formula_b;  // of the models, where growth changed and there are any
};
constexpr double kSameGrowth = 0.1;

// Something besides the times in which the sides differ: the command line, the machine, a variable.
struct SideDifference {
  std::string what;  // "command lines"
  std::string a, b;
  std::string consequence;  // one sentence; may be empty
};

constexpr const char* kPrograms = "programs";  // SideDifference::what, of executables with different names

struct ComparedSide {
  std::string path;  // as given
  std::string application;
  std::vector<std::string> command;
  std::string machine;  // hosts, and the processor where it is known
  std::string mpi;
  std::string counters;
};

struct Comparison {
  ComparedSide a, b;
  std::string clock;       // "cpu", "wall"; empty: the sides are measurements, of which only times are known
  bool in_seconds = true;  // false: the unit of times is not known
  bool has_totals = true;  // false: the totals of configurations are their largest times, and nothing to show
  double tolerance = 0;    // relative
  // The confidence level of intervals. 1 - level is the probability of any wrong claim within each of three families,
  // which are adjusted separately: the totals of all configurations, the kernels of all configurations, growth.
  double level = 0.95;
  std::vector<ComparedConfiguration> configurations;  // by np, then parameters
  bool growth_judged = false;                         // three scales or more
  std::vector<GrowthChange> growth;                   // of kernels that are judged somewhere, by rising p
  std::vector<SideDifference> differences;            // kPrograms comes first
  std::vector<std::string> notes;                     // `differences` first
};

// A smaller relative change counts as none where nothing else is asked for.
constexpr double kUnnoticedChange = 0.02;

struct ComparisonOptions {
  std::string path_a = "A", path_b = "B";  // for messages
  // The experiments, for what was started and where; null where there is only a profile. They outlive the call.
  const core::Experiment* experiment_a = nullptr;
  const core::Experiment* experiment_b = nullptr;
  double tolerance = kUnnoticedChange;  // changes within it count as none, relative to A
  double level = 0.95;
  // The name of the number of processes, for measurements by other tools (measured_sides.h); empty: for profiles.
  std::string processes = {};
  bool in_seconds = true;
  bool has_totals = true;
  std::vector<std::string> notes = {};
};

}  // namespace scalediag::report
