// A chart of the parts of a run's time over the number of processes, drawn without scripts: a bar a scale, parts
// stacked, the predicted scales hatched. Bars are as high as the time; where some would be too low for their parts to
// show, all are equally high and parts are shares. The time stands above each bar in both.
#pragma once

#include <string>

#include "report/findings/findings.h"

namespace scalediag::report::html {

// A <figure> with its key. Precondition: findings.curve has a sample.
std::string time_chart(const Findings& findings);

}  // namespace scalediag::report::html
