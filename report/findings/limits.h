// What limits the numbers of a prediction as a whole, for the notes of its findings.
#pragma once

#include "fit/application/application.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// Adds notes on the network's costs, the clock and the counters that the numbers rest on. `simulated`: communication at
// targets is simulated (FindingsOptions::simulated); findings.communication then says so too. Precondition: targets and
// totals are filled in.
void add_limits(const fit::ApplicationModel& model, bool simulated, Findings& findings);

}  // namespace scalediag::report
