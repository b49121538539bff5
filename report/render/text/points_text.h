// Runs of other inputs held against the instructions of a number of ranks that was not run: what `scalediag points`
// prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "loggp/phases/instructions/measurable_points.h"

namespace scalediag::report {

struct NamedPoint {
  std::string run;  // "other.scalediag/np0004.r0"
  loggp::MeasurablePoint point;
};

// `target`: the number of ranks. Precondition: all points have the same phases.
std::string points_text(const std::vector<NamedPoint>& points, int target);
nlohmann::ordered_json points_json(const std::vector<NamedPoint>& points, int target);

}  // namespace scalediag::report
