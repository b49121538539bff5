// Experiments as studies of scaling, for `proposal`, `advise` and the headline table of `report`.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"
#include "report/proposal/proposal.h"

namespace scalediag::cli {

struct StudyRequest {
  std::string np;  // LIST of --np; empty: twice and four times the largest measured, where enough scales were measured
  std::string scaling = "auto";
  double efficiency_bound = 0.7;
  report::ScalingTableOptions table;
};

// The study of an experiment folder or a profile.json. Errors: those of load_measurement_input() and findings_of(); a
// file without runs; one number of processes (kInput).
core::Result<report::Study> load_study(const std::string& input, const StudyRequest& request);

}  // namespace scalediag::cli
