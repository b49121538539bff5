// Measurements from a file or from profiles of another tool, as text: call paths with their values at
// every configuration.
#pragma once

#include <cstddef>
#include <string>

#include "fit/data/measurement_set.h"

namespace scalediag::report {

struct MeasurementTextOptions {
  size_t top = 15;  // call paths a metric, 0 for all
  size_t width = 100;
  bool color = false;
};

// A table a metric, times first: the call paths with the largest values and their means over repeats, a column a
// configuration, by the number of processes. At most eight configurations are shown, from the smallest to the largest.
std::string measurements_text(const std::string& input, const fit::MeasurementSet& set,
                              const MeasurementTextOptions& options);

}  // namespace scalediag::report
