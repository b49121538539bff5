// What limits the numbers of a prediction as a whole, for the notes of its findings.
#pragma once

#include <optional>
#include <span>

#include "predict/predictor.h"
#include "report/findings/findings.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {

// Adds notes on the network's costs, the clock and the counters that the numbers rest on. Where communication is
// simulated, findings.communication says so too. Precondition: targets and totals are filled in.
void add_limits(const predict::Predictor& predictor, Findings& findings);

// The run that would make the prediction more certain; of a further scale the width that `improve` expects after it.
// Empty: none would. Precondition: targets are filled in.
std::optional<FurtherRun> further_run(const fit::ApplicationModel& model, const Findings& findings);

// Adds a note where the data scale better than ideally, with the likely causes. `scales`: of what is predicted, by
// rising processes.
void add_superlinearity(std::span<const MeasuredScale> scales, Findings& findings);

}  // namespace scalediag::report
