// A value of a run by its call path and metric, for tests of readers.
#pragma once

#include <limits>
#include <string>

#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

// Not a number where the run does not have it, which equals nothing.
inline double value_of(const MeasuredRun& run, const std::string& path, const std::string& metric) {
  for (const RunValue& value : run.values()) {
    if (value.call_path == path && value.metric == metric) return value.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace scalediag::fit
