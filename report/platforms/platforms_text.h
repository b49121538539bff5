// The table of a target on several machines.
#pragma once

#include <string>

#include "report/platforms/platform_comparison.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

std::string platforms_text(const PlatformComparison& comparison, const TerminalOptions& options);

}  // namespace scalediag::report
