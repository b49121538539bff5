// Findings for people, all of them: what `scalediag predict --details` prints. The first screen is
// first/predict_screen.h.
#pragma once

#include <string>

#include "report/findings/findings.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

// From how many processes on a node's memory no longer suffices, as part of a sentence.
std::string memory_limit_text(const MemoryLimit& limit);

std::string findings_text(const Findings& findings, const TerminalOptions& options);

}  // namespace scalediag::report
