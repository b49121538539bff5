// Collects the evidence behind the findings of kernels (evidence.h) from the models and what was measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fit/application/application_model.h"
#include "fit/curves/model.h"
#include "report/findings/evidence.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// The evidence by KernelFinding::id. Preconditions: findings.measured, .targets and .evidence_points are filled in,
// from this model.
std::vector<KernelEvidence> kernel_evidence(const fit::ApplicationModel& model, const Findings& findings);

// "regime change between p=8 and p=16: 1.5 times what the trend before it says (one scale only, ...)".
std::string regime_text(const fit::RegimeChange& change);

// The number of largest kernels, at any target, whose evidence of resources and alternatives is always kept; other
// kernels' is kept where they matter at a target. A report of thousands of kernels has to stay readable for a browser.
constexpr size_t kCompleteEvidence = 200;

// Whether what a formula comes to is not the value that it would be printed beside: more than a tenth apart.
bool is_other_value(double of_formula, double value);

}  // namespace scalediag::report
