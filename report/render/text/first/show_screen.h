// The first screen of `scalediag show`: how the parts of the run and its largest kernels change over the measured
// scales, a row each and a column a scale. All else is in show_text() (--details).
#pragma once

#include <string>

#include "report/render/shown_profile.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

std::string show_screen(const ShownProfile& input, const TerminalOptions& options);

}  // namespace scalediag::report
