// The sections of a report, each a piece of HTML that is complete without scripts; the scripts in assets/ add charts.
#pragma once

#include <string>
#include <vector>

#include "report/findings/findings.h"
#include "report/render/text/terminal_options.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report::html {

// Precondition of all: findings.targets is not empty.
// The contents of predict_screen_of() with two charts; the only open section.
std::string first_section(const Findings& findings, const NextStep& next);
std::string prediction_section(const Findings& findings);
// The table of a scaling study, with its CSV and LaTeX to be copied; empty without tables.
std::string scaling_section(const std::vector<ScalingTable>& tables);
std::string ranking_section(const Findings& findings);
std::string kernel_section(const Findings& findings);
std::string communication_section(const Findings& findings);  // empty where no operation of MPI is known
std::string phase_section(const Findings& findings);          // empty without traces at several scales
std::string region_section(const Findings& findings);         // empty where there are no regions
std::string call_path_section(const Findings& findings);      // empty where no stacks were recorded
std::string efficiency_section(const Findings& findings);     // empty where there are no efficiencies
std::string provenance_section(const Findings& findings);

// The number of rows of all ranking tables together; smaller kernels are summed up beyond it.
constexpr size_t kMostRankingRows = 3000;
// The number of kernels whose evidence is in the page itself; assets/kernels.js shows that of the others.
constexpr size_t kKernelsInFull = 40;

}  // namespace scalediag::report::html
