// The targets of `scalediag predict`: --at NAME=LIST, once a parameter, all combinations.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::cli {

// The measured configurations, for checks of targets.
struct MeasuredParameters {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // of each parameter, rising, distinct
  size_t processes = 0;                     // index of the number of processes
  bool whole_processes = false;             // true: only whole numbers of processes make sense
};

constexpr size_t kMaxTargets = 1000;

// Each target in the order of `measured.names`; the first parameter varies slowest. A parameter that is not named and
// was measured at one value keeps it. Errors (kUsage): no "=", an unknown or repeated name, a bad list, a value that is
// not positive, fewer processes than were measured, a parameter with several values that is not named, too many
// combinations.
core::Result<std::vector<std::vector<double>>> prediction_targets(const std::vector<std::string>& at,
                                                                  const MeasuredParameters& measured);

// The reason why declaring `size`, one of measured.names, as the problem size changes no estimate at `targets`; empty
// if it may. `size` is empty where nothing was declared.
std::string size_without_effect(const std::string& size, const MeasuredParameters& measured,
                                const std::vector<std::vector<double>>& targets);

}  // namespace scalediag::cli
