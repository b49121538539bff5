// What limits the numbers of a prediction as a whole, for the notes of its findings.
#pragma once

#include "predict/predictor.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// Adds notes on the network's costs, the clock and the counters that the numbers rest on. Where communication is
// simulated, findings.communication says so too. Precondition: targets and totals are filled in.
void add_limits(const predict::Predictor& predictor, Findings& findings);

}  // namespace scalediag::report
