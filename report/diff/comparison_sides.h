// The conditions for comparing two profiles, and their differences that a reader has to know.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "report/diff/comparison.h"

namespace scalediag::report {

ComparedSide side_of(const core::Profile& profile, const std::string& path);

// Errors (kInput) as compare_profiles.
core::Status check_sides(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options);

// All known differences: command lines, machines, MPI libraries, sampling, counters, threads; with both experiments
// (`options`) also the hosts, input and environment of the runs. Differences of times are then not of the program
// alone.
std::vector<SideDifference> side_differences(const core::Profile& a, const core::Profile& b,
                                             const ComparisonOptions& options);

// "machines differ: A; B. Differences are of program and machine together"
std::string text_of(const SideDifference& difference);

// "np=2, np=4 grid=64": configurations with a complete run in `here` and none in `there`, with the name of
// the number of processes; empty: none.
std::string configurations_only_in(const core::Profile& here, const core::Profile& there, const std::string& processes);

}  // namespace scalediag::report
