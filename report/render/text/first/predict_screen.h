// The first screen of `scalediag predict`, of at most 30 lines of 100 columns for up to four targets: the answer, what
// limits it, how sure it is, and what to do next. All else is in findings_text() (--details).
#pragma once

#include <string>

#include "report/findings/findings.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

std::string predict_screen(const Findings& findings, const TerminalOptions& options);

// The one thing that would make the prediction more certain; empty: nothing is known to.
std::string next_step(const Findings& findings);

}  // namespace scalediag::report
