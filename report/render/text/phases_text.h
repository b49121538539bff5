// The output of `scalediag phases`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "loggp/phases/scaling_model.h"

namespace scalediag::report {

// The main loop, then each phase with its weight, share and equations; those beyond 95 % of the time only with `all`.
std::string phases_text(const loggp::ScalingModel& model, bool all);

nlohmann::ordered_json phases_json(const loggp::ScalingModel& model);

// Warnings for the use of the scaled trace: the share of the events that equations explain and determine, then all that
// they do not, each with its share of the events, the largest shares first.
std::vector<std::string> uncertainty_lines(const loggp::ScalingModel& model);

}  // namespace scalediag::report
