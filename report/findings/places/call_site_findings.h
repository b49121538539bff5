// The places in the program that MPI operations are called from.
#pragma once

#include <string>

#include "core/profile/profile.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// Puts the call sites of the configuration with the most processes into the findings' MPI operations.
void add_call_sites(const core::Profile& profile, Findings& findings);

// "called in exchange, halo.c:12 (63 % of its elapsed time at np=16), step, main.c:40 (20 %) and 4 more places"; empty
// where the sites are not known.
std::string call_sites_text(const KernelFinding& kernel, const Findings& findings);

}  // namespace scalediag::report
