// The evidence behind the findings of a kernel: each metric's measured points, its curve with the interval, the formula
// and the hypotheses that were rejected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fit/curves/model_facts.h"
#include "report/point.h"

namespace scalediag::report {

// A metric as it was measured at one configuration.
struct MeasuredValue {
  size_t configuration = 0;  // index into Findings::measured
  double mean = 0;           // over the repeats
  double low = 0;            // smallest and largest repeat
  double high = 0;
  size_t repeats = 0;
};

struct MetricEvidence {
  std::string name;  // "time_s", "instructions", ..., or the data's own
  std::vector<MeasuredValue> measured;
  std::vector<Estimate> curve;                 // at Findings::evidence_points; empty: the metric was not modelled
  std::string formula;                         // empty: not modelled
  double formula_weight = 1;                   // as in KernelFinding
  std::string formula_note;                    // as in KernelFinding
  std::optional<double> noise;                 // relative standard deviation of one repeat
  std::optional<double> median_error;          // of larger scales predicted from smaller ones
  std::vector<fit::Alternative> alternatives;  // members of the model and rejected hypotheses, the best first
  size_t alternatives_left_out = 0;
  std::vector<std::string> notes;
};

struct KernelEvidence {
  bool complete = true;  // false: of a kernel that is small everywhere only the first metric is kept
  std::vector<MetricEvidence> metrics;
  // The kernel's place among all kernels with the same first metric, by that metric's measured value, at each of
  // Findings::measured; 1 is the largest, 0: not measured there. For an application the slowest rank's value is taken
  // where it differs from the mean.
  std::vector<int> measured_ranks;
};

}  // namespace scalediag::report
