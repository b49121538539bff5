// The output of `scalediag doctor`, as text and as JSON.
#pragma once

#include <string>

#include "collector/launch/host/doctor_checks.h"
#include "core/result.h"

namespace scalediag::launch {

// One line a finding, with the command that helps below it; then the source of each metric.
std::string doctor_text(const Diagnosis& diagnosis);

// {"schema": "scalediag-doctor/1", "host": {...}, "can_profile":,
//  "findings": [{"subject":, "health":, "text":, "mend":}], "metrics": [{"metric":, "papi":, "simulated":}]}
Result<std::string> doctor_json(const Diagnosis& diagnosis);

}  // namespace scalediag::launch
