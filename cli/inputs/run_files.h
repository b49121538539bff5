// Profiles of other tools as INPUT: files of one run each (Cube, Caliper, mpiP, TALP), several of which make an
// experiment.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/data/measurement_set.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::cli {

// The files of runs below a folder that is no experiment, by name, at most five levels down. Scalasca keeps several
// profiles of one run in a folder: of these only profile.cubex, else summary.cubex. Empty where there are none. Error
// (kInput): more than 10000.
Result<std::vector<std::string>> run_files_in(const std::string& folder);

// The run in each file. Errors (kInput): a file is in a format that is not of single runs; those of the readers.
Result<std::vector<fit::MeasuredRun>> read_runs(const std::vector<std::string>& files);

// Adds the positional option INPUT, one or several.
CLI::Option* add_inputs(CLI::App& command, std::string& first, std::vector<std::string>& more);

}  // namespace scalediag::cli
