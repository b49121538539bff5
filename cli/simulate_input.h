// What `scalediag simulate` reads.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/analysis.h"

namespace scalediag::cli {

struct SimulationSource {
  std::string path;
  double flops_per_s = 1e9;  // what a rank computes of a time-independent trace
  int np = 0;                // which of an experiment's runs; 0: the only one
  std::string run;           // the same, by its id; empty: not asked for
};

// A folder with recorded traces, or: a GOAL schedule, a time-independent trace, or a file that names one trace a rank,
// told apart by their first words.
// Errors (kInput): cannot be read, or is none of them; what is wrong in it.
core::Result<loggp::SimulationInput> read_simulation_input(const SimulationSource& source);

// The files that the input names, besides itself; none where it names none or cannot be read.
std::vector<std::string> files_of_list(const std::string& path);

}  // namespace scalediag::cli
