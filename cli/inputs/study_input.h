// Experiments as studies of scaling, for `proposal`, `advise` and the headline table of `report`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "core/result.h"
#include "report/proposal/proposal.h"

namespace scalediag::cli {

struct StudyRequest {
  std::string np;  // LIST of --np; empty: twice and four times the largest measured, where enough scales were measured
  std::string scaling = "auto";
  double efficiency_bound = 0.7;
  report::ScalingTableOptions table;
};

// --np, --measured-only, --cores-per-node, --efficiency and --scaling; `study` outlives the parsing.
void add_study_options(CLI::App& command, StudyRequest& study);

// The study of an experiment folder or a profile.json. Errors: those of load_measurement_input() and findings_of(); a
// file without runs; one number of processes (kInput).
core::Result<report::Study> load_study(const std::string& input, const StudyRequest& request);

// The tables of a profile's scaling; none where it has no totals, or no profile was read. `findings` are those of
// `input`. Errors: those of data_of().
core::Result<std::vector<report::ScalingTable>> scaling_tables_of(const MeasurementInput& input,
                                                                  const report::Findings& findings,
                                                                  const report::ScalingTableOptions& options = {});

}  // namespace scalediag::cli
