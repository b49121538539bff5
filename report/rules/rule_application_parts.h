// Functions that the files of ApplicationRules share.
#pragma once

#include <optional>
#include <string>

#include "fit/application/application_data.h"
#include "report/findings/findings.h"
#include "report/rules/rule.h"

namespace scalediag::report {

// The quantity's name in ApplicationData::totals.
const char* total_name(Quantity quantity);
std::optional<Estimate> predicted_total(const TargetFindings& target, Quantity quantity);

// The relative error of n samples, 1 / sqrt(n). The interval of repeats usually holds it, but by chance may not.
double sampling_error_of(const fit::KernelData& kernel);

bool is_mpi(const fit::KernelData& kernel);

// The reason why this time, all of MPI's or in part, is called modelled at measured configurations with the CPU clock:
// "CPU clock: MPI calls count as the shortest ones took".
std::string how_modelled(Quantity quantity);

// RuleFact::error_unknown of modelled times: the shortest calls of all runs are the same ones, so that repeats do not
// vary, however large the error is.
extern const char* const kNotMeasured;

}  // namespace scalediag::report
