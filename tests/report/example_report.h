// Profiles for tests of reports: every kind of cause, names that try to break out of a page, and a large one.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// A text that a page must not execute, wherever it came from: a function, a file, a module, an MPI library.
extern const char* const kHostileName;

// 2, 4, 8 and 16 ranks, two repeats; a kernel for each cause, two MPI operations, traffic between neighbours, counters.
core::Profile example_profile();

// The same with kHostileName wherever a text comes from outside.
core::Profile hostile_profile();

// `kernels` functions at `scales` process counts 1, 2, 4, ..., and two operations.
core::Profile large_profile(int kernels, int scales);

// A main loop of two phases, the first of them a loop, whose operation is called `name`.
PhaseFindings example_phases(const std::string& name);

// With everything that a report shows. Precondition: the profile can be modelled.
Findings report_findings(const core::Profile& profile, const std::vector<std::vector<double>>& targets);

// Those of example_profile() at 64 and 1024 ranks.
const Findings& example_findings();

// At the first target; throws where there is none of that name.
const KernelFinding& kernel_of(const Findings& findings, const std::string& name);

bool contains(const std::string& text, const std::string& part);

}  // namespace scalediag::report
