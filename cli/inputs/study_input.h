// Experiments as studies of scaling, for `proposal`, `advise` and the headline table of `report`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "core/result.h"
#include "report/proposal/proposal.h"

namespace scalediag::cli {

struct StudyRequest {
  std::vector<std::string> at;  // as PredictionRequest::at, in the place of `np`
  std::string np;  // LIST of --np; empty: twice and four times the largest measured, where enough scales were measured
  std::string scaling = "auto";
  // A region's name, or "run": what the times are of. Empty: the main loop where each run has a core for each rank and
  // the same main loop, else the run.
  std::string region;
  // As of `predict`, of the whole run: a network, a folder with replayed ranks, folders with measurable points.
  std::string network, replayed;
  std::vector<std::string> points;
  double efficiency_bound = 0.7;
  report::ScalingTableOptions table;
};

// --at, --np, --measured-only, --cores-per-node, --efficiency, --region, --scaling, --network, --replayed and --points;
// `study` outlives the parsing.
void add_study_options(CLI::App& command, StudyRequest& study);

// The study of an experiment folder or a profile.json. Errors: those of load_measurement_input() and findings_of(); a
// file without runs; one number of processes; a region that some run lacks, or with the CPU clock (kInput).
Result<report::Study> load_study(const std::string& input, const StudyRequest& request);

// The tables of a profile's scaling, or of its region; none where it has no totals, or no profile was read. `findings`
// are those of `input` and `request`. Errors: those of data_of() and findings_of().
Result<std::vector<report::ScalingTable>> scaling_tables_of(const MeasurementInput& input,
                                                            const PredictionRequest& request,
                                                            const report::Findings& findings);

}  // namespace scalediag::cli
