// Where a program is predicted: --at NAME=LIST, once a parameter, all combinations, checked before anything is fitted.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "fit/application/application_data.h"

namespace scalediag::predict {

// A configuration of the program: its number of processes, and values of other parameters by name. The names are those
// of the data, in their order. Targets of the same data are ordered by their values.
class Target {
 public:
  Target() = default;
  // Precondition: as many values as names; `processes` is the index of the number of processes.
  Target(const std::vector<std::string>& names, std::vector<double> values, size_t processes)
      : names_(names), values_(std::move(values)), processes_(processes) {}
  static Target of(const fit::ApplicationFacts& data, std::vector<double> values) {
    return Target(data.parameter_names, std::move(values), data.processes);
  }

  double processes() const { return values_[processes_]; }
  // The number of ranks of a run there. Precondition: the data are a program's, whose targets are whole numbers.
  int ranks() const { return static_cast<int>(std::lround(processes())); }
  const std::vector<double>& values() const { return values_; }
  std::string text() const;  // "np=64 grid=128"

  friend bool operator==(const Target& a, const Target& b) { return a.values_ == b.values_; }
  friend bool operator<(const Target& a, const Target& b) { return a.values_ < b.values_; }

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
  size_t processes_ = 0;
};

// The measured configurations, for checks of targets.
struct MeasuredParameters {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // of each parameter, rising, distinct
  size_t processes = 0;                     // index of the number of processes
  bool whole_processes = false;             // true: only whole numbers of processes make sense
};

MeasuredParameters measured_parameters(const fit::ApplicationData& data);

constexpr size_t kMaxTargets = 1000;

// Each target in the order of `measured.names`; the first parameter varies slowest. A parameter that is not named and
// was measured at one value keeps it. Errors (kUsage): no "=", an unknown or repeated name, a bad list, a value that is
// not positive, fewer processes than were measured, a parameter with several values that is not named, too many
// combinations.
core::Result<std::vector<Target>> parse_targets(const std::vector<std::string>& at, const MeasuredParameters& measured);

// The targets where none is named: at the largest measured size of the problem, 4 and 16 times the largest measured
// number of processes.
core::Result<std::vector<Target>> default_targets(const MeasuredParameters& measured);

// The reason why declaring `size`, one of measured.names, as the problem size changes no estimate at `targets`; empty
// if it may. `size` is empty where nothing was declared.
std::string size_without_effect(const std::string& size, const MeasuredParameters& measured,
                                const std::vector<Target>& targets);

}  // namespace scalediag::predict
