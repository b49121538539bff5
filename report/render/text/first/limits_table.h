// The table of what limits a run at a target, with all else of the run.
#pragma once

#include "report/findings/findings.h"
#include "report/render/text/first/screen_table.h"

namespace scalediag::report {

// The `most` largest kernels that do not scale, or may not, by falling time; then all else, and below it those whose
// time is not known and is part of that. Without rows nothing limits it. Precondition: target.run_s.
ScreenTable limits_table(const Findings& findings, const TargetFindings& target, bool full_names, size_t most);

}  // namespace scalediag::report
