// Configurations and estimates, in the form that all findings use.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fit/curves/model_facts.h"

namespace scalediag::report {

using fit::Estimate;

// Parameter values by name, in the order of the data's parameters.
using Point = std::vector<std::pair<std::string, double>>;
std::string text_of(const Point& point);  // "np=64 grid=128"
inline double process_count(const Point& point) { return point.front().second; }

}  // namespace scalediag::report
