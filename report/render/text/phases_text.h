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

// What no equation explains: the share of events, and each reason once.
std::vector<std::string> irregular_lines(const loggp::ScalingModel& model);

}  // namespace scalediag::report
