// What the files of ApplicationRules share.
#pragma once

#include <optional>
#include <string>

#include "fit/application_data.h"
#include "report/findings.h"
#include "report/rule.h"

namespace scalediag::report {

// The quantity's name in ApplicationData::totals.
const char* total_name(Quantity quantity);
std::optional<Estimate> predicted_total(const TargetFindings& target, Quantity quantity);

std::string seconds(double value);

// Relative: 1 / sqrt(n) is what n samples are known to; the interval of repeats holds it already, but by chance may
// not.
double sampling_error_of(const fit::KernelData& kernel);

bool is_mpi(const fit::KernelData& kernel);

// Why this time, all of MPI's or in part, is called modelled at measured configurations with the CPU clock: "CPU clock:
// MPI calls count as the shortest ones took".
std::string how_modelled(Quantity quantity);

// RuleFact::error_unknown of what is modelled: the shortest calls of all runs are the same ones, so that repeats do not
// vary, however far off they are.
extern const char* const kNotMeasured;

}  // namespace scalediag::report
