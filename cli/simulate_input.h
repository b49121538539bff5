// What `scalediag simulate` reads.
#pragma once

#include <string>

#include "core/result.h"
#include "loggp/analysis.h"

namespace scalediag::cli {

// A GOAL schedule, a time-independent trace, or a file that names one trace a rank, told apart by their first words.
// `flops_per_s` is what a rank computes of a time-independent trace.
// Errors (kInput): cannot be read, or is none of them; what is wrong in it.
core::Result<loggp::SimulationInput> read_simulation_input(const std::string& path, double flops_per_s);

}  // namespace scalediag::cli
