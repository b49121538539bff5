// Findings for programs, schema scalediag-predict/1.
#pragma once

#include <string>

#include "core/result.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// Times in seconds, sizes in bytes; an estimate is {"value", "low", "high", "level"}. Values that do not apply are
// null. All kernels are included.
core::Result<std::string> findings_json(const Findings& findings);

}  // namespace scalediag::report
