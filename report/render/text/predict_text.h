// Findings for people: what `scalediag predict` prints.
#pragma once

#include <string>

#include "report/findings/findings.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

std::string findings_text(const Findings& findings, const TerminalOptions& options);

}  // namespace scalediag::report
