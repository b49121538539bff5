// Findings for programs, schema scalediag-predict/1.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "report/findings/findings.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

// Times in seconds, sizes in bytes; an estimate is {"value", "low", "high", "level"}. Values that do not apply are
// null. All kernels are included. `tables` are those of the same profile.
core::Result<std::string> findings_json(const Findings& findings, const std::vector<ScalingTable>& tables = {});

}  // namespace scalediag::report
