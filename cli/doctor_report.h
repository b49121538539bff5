// What `scalediag doctor` prints.
#pragma once

#include <string>

#include "cli/doctor_checks.h"
#include "core/result.h"

namespace scalediag::cli {

// A line a finding, and one below it with the command that would mend it; then where each metric comes from.
std::string doctor_text(const Diagnosis& diagnosis);

// {"schema": "scalediag-doctor/1", "host": {...}, "can_profile":, "findings": [{"subject":, "health":, "text":,
// "mend":}],
//  "metrics": [{"metric":, "papi":, "simulated":}]}
core::Result<std::string> doctor_json(const Diagnosis& diagnosis);

}  // namespace scalediag::cli
