// The steps that `improve` knows for an experiment, from its runs and from what is predicted of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "predict/improve/improvement.h"
#include "report/findings/findings.h"

namespace scalediag::cli {

constexpr double kImproveBudget_s = 600;  // of all steps together, where none is given

// What the experiment's runs say of the cost of others. Preconditions: `input` has an experiment and its profile.
// Error (kInput): there is no complete run.
core::Result<predict::ImprovementInput> runs_for_steps(const MeasurementInput& input);

// What a step brings for its time, where the interval's high / low is `width` before it.
double worth_of(const predict::Step& step, double width);

// The step that `improve` takes first: of those that fit into the budget the one that brings most for its time, where
// none fits the shortest. Empty: no step narrows an answer.
std::optional<predict::Step> first_step(const MeasurementInput& input, const report::Findings& findings);

}  // namespace scalediag::cli
