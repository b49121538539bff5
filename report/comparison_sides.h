// Whether two profiles can be compared, and what a reader has to know of how they differ.
#pragma once

#include <string>
#include <vector>

#include "core/profile.h"
#include "report/comparison.h"

namespace scalediag::report {

ComparedSide side_of(const core::Profile& profile, const std::string& path);

// Errors (kInput) as compare_profiles.
core::Status check_sides(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options);

// Machines, MPI libraries, sampling, counters that differ: differences are then not of the program alone.
std::vector<std::string> side_notes(const ComparedSide& a, const ComparedSide& b, const core::Profile& profile_a,
                                    const core::Profile& profile_b);

// "np=2, np=4 grid=64": configurations with a complete run in `here` and none in `there`; empty: none.
std::string configurations_only_in(const core::Profile& here, const core::Profile& there);

}  // namespace scalediag::report
